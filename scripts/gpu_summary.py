"""Gathers what gpu.sh did into a few files: gpu_summary.py WORK OUT writes summary.md, summary.json, cards.json and results.tar.gz."""

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


def steps(work):
    """The steps with their state, what they printed as JSON, and the last line of their log."""
    for log in sorted((work / 'results').glob('*.log')):
        lines = log.read_text(errors='replace').strip().splitlines()
        yield {'name': log.stem, 'state': state(work, log.stem), 'result': read_json(log.with_suffix('.out')),
               'last_line': lines[-1] if lines else ''}


def figure(number):
    return f'{number:,.4g}' if isinstance(number, float) else str(number)


def describe(step):
    """One row of the table: the numbers of a step's result, or the end of its log."""
    numbers = step['result'] if isinstance(step['result'], dict) else {}
    wanted = ('loss', 'log_probability', 'median_seconds', 'rows_per_second', 'peak_memory_bytes', 'wall_seconds')
    text = ', '.join(f'{name} {figure(numbers[name])}' for name in wanted if name in numbers)
    ending = step['last_line'][:160].replace('|', ' ')
    if step['state'].startswith('FAILED'):
        text = f'{text}: {ending}' if text else ending
    return f"| {step['name']} | {step['state']} | {text or ending} |"


def main(work, out):
    done, engine = list(steps(work)), read_json(out / 'doctor.json') or {}
    cards = [card for path in sorted((work / 'runs').glob('*/card.json')) if (card := read_json(path))]
    lines = ['# Results on a GPU', '', f"Engine: {engine.get('engine', 'unknown')}. {len(cards)} complete runs, in cards.json.", '',
             '| step | state | numbers |', '|---|---|---|', *map(describe, done)]
    for name in ('figure-03',):
        table = work / 'results' / f'{name}.out'
        if table.exists():
            lines += ['', f'## {name}', '', '```', table.read_text(errors='replace').rstrip(), '```']
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
