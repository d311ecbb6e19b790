"""Says whether JAX computes a bfloat16 convolution and its gradient on the GPU: if it does, the machine is sound."""

import jax
import jax.numpy as jnp


def convolved(kernel, images):
    """The sum of a convolution, so that it has a gradient."""
    dimensions = ('NHWC', 'HWIO', 'NHWC')
    return jax.lax.conv_general_dilated(images, kernel, (1, 1), 'SAME', dimension_numbers=dimensions).astype(jnp.float32).sum()


print(jax.__version__, jax.devices())
images, kernel = jnp.ones((128, 32, 32, 16), jnp.bfloat16), jnp.ones((3, 3, 16, 16), jnp.bfloat16)
value, gradient = jax.jit(jax.value_and_grad(convolved))(kernel, images)
print(f'sum {float(value):.6g}, sum of the gradient {float(gradient.astype(jnp.float32).sum()):.6g}: JAX computes on {jax.devices()[0]}')
