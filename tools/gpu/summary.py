"""Gathers what gpu.sh did into a few files: summary.py WORK OUT writes summary.md, summary.json, cards.json and results.tar.gz."""

import json
import pathlib
import sys
import tarfile


def read_json(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def state(work, name):
    """How a step ended, as gpu.sh says: complete, FAILED, or stopped in time to go on with the next call."""
    status = work / 'results' / f'{name}.status'
    if (work / 'done' / name).exists():
        return 'complete'
    return status.read_text().strip() if status.exists() else 'not complete'


def seconds(path):
    """What a step took, summed over the calls that it needed."""
    return sum(map(int, path.read_text().split())) if path.exists() else 0


def steps(work):
    """The steps with their state, what they printed as JSON, and the last line of their log."""
    for log in sorted((work / 'results').glob('*.log')):
        lines = log.read_text(errors='replace').strip().splitlines()
        yield {'name': log.stem, 'state': state(work, log.stem), 'result': read_json(log.with_suffix('.out')),
               'last_line': lines[-1] if lines else '', 'seconds': seconds(log.with_suffix('.seconds'))}


def figure(number):
    return f'{number:,.4g}' if isinstance(number, float) else str(number)


def entry(program):
    """One program of a comparison."""
    memory = program['peak_memory_bytes']
    return (f"{program['name']} ({program['engine']}) {1e3 * program['seconds']['median']:,.4g} ms, "
            f"{f'{memory / 1e9:.1f} GB' if memory else 'memory not measured'}, our time / theirs {program['ratio']['median']:.2f}")


def numbers_of(result):
    """The numbers of a step's result in words."""
    if isinstance(result, list):
        return '; '.join(entry(program) for comparison in result for program in comparison['entries'])
    if not isinstance(result, dict):
        return ''
    if 'differences' in result:
        return '; '.join(f"{d['what']} {figure(d['value'])} (at most {figure(d['tolerance'])})" for d in result['differences'])
    if 'levels' in result:
        return 'NLL at levels 0 to 5: ' + ', '.join(figure(value) for value in result['levels']['nll'])
    wanted = ('median_seconds', 'rows_per_second', 'peak_memory_bytes', 'wall_seconds')
    return ', '.join(f'{name} {figure(result[name])}' for name in wanted if name in result)


def describe(step):
    """One row of the table: the numbers of a step's result, or the end of its log, and the seconds it took over all calls."""
    text = numbers_of(step['result'])
    ending = step['last_line'][:160].replace('|', ' ')
    if step['state'].startswith('FAILED'):
        text = f'{text}: {ending}' if text else ending
    return f"| {step['name']} | {step['state']} | {text or ending} | {step['seconds']} |"


def main(work, out):
    done, engine = list(steps(work)), read_json(work / 'results' / 'doctor.json') or {}
    cards = [card for path in sorted((work / 'runs').glob('*/card.json')) if (card := read_json(path))]
    lines = ['# Results on a GPU', '', f"Engine: {engine.get('engine', 'unknown')}. {len(cards)} complete runs, in cards.json.", '',
             '| step | state | numbers | seconds |', '|---|---|---|---|', *map(describe, done)]
    for table in sorted((work / 'results').glob('figure-*.out')):
        lines += ['', f'## {table.stem}', '', '```', table.read_text(errors='replace').rstrip(), '```']
    for name in ('doctor.txt', 'jax.txt') if not engine.get('engine') else ():
        log = work / 'results' / name
        if log.exists():
            lines += ['', f'## {name}', '', '```', *log.read_text(errors='replace').splitlines()[-40:], '```']
    (out / 'summary.md').write_text('\n'.join(lines) + '\n')
    (out / 'summary.json').write_text(json.dumps({'engine': engine, 'steps': done}, indent=1))
    (out / 'cards.json').write_text(json.dumps(cards, indent=1))
    with tarfile.open(out / 'results.tar.gz', 'w:gz') as archive:
        archive.add(work / 'results', 'results')
        for path in sorted((work / 'runs').glob('*/*')):
            if path.is_file() and path.name != 'lock':
                archive.add(path, pathlib.Path('runs') / path.parent.name / path.name)


if __name__ == '__main__':
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
