# make.py SEED FOLDER renders lines of text of 48 x 192 pixels, upright (0) and upside down (180):
# 500 to fit, 100 for a temperature and 200 to test, as FOLDER/{train,test}/CLASS/NUMBER.png.
import random
import re
import sys
from pathlib import Path
from pydoc_data.topics import topics

import matplotlib
from PIL import Image, ImageDraw, ImageFont

HEIGHT, WIDTH = 48, 192
WORDS = re.findall(r"[A-Za-z,.;]{2,}", " ".join(topics[name] for name in sorted(topics)))
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
FACES = ["DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSerif", "DejaVuSerif-Bold",
         "DejaVuSerif-Italic", "DejaVuSansMono"]


def line(rng):
    font = ImageFont.truetype(str(FONTS / (rng.choice(FACES) + ".ttf")), rng.randint(24, 34))
    first, text = rng.randrange(len(WORDS) - 20), ""
    for word in WORDS[first:first + 20]:
        text += word + " "
        if font.getlength(text) > WIDTH:
            break
    ground = rng.randint(170, 255)
    ink = rng.randint(0, 90)
    image = Image.new("RGB", (WIDTH, HEIGHT), tuple(ground - rng.randint(0, 25) for _ in range(3)))
    fill = tuple(ink + rng.randint(0, 25) for _ in range(3))
    ImageDraw.Draw(image).text((4, HEIGHT // 2), text, fill, font, anchor="lm")
    return image


def main(seed, folder):
    rng = random.Random(seed)
    for part, count in {"train": 600, "test": 200}.items():
        for number in range(count):
            turned = number % 2 == 1
            image = line(rng)
            path = folder / part / ("180" if turned else "0") / f"{number:03}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            (image.rotate(180) if turned else image).save(path)


main(int(sys.argv[1]), Path(sys.argv[2]))
