import type { Random } from '../../../support/random.ts';
import type { HostileRow } from '../hostile-rows.ts';
import { outputOf, type Writer, type WrittenFile } from '../writer.ts';

/** Layouts of a file. `documents` are consecutive objects of several lines each. */
const LAYOUTS = ['array', 'lines', 'object', 'documents'] as const;
type Layout = (typeof LAYOUTS)[number];

const PYTHON = `
import json, sys
given = json.load(sys.stdin)
rows, options = given['rows'], given['options']
def text(value, **more):
    return json.dumps(value, **{**options, **more})
out = {
    'array': lambda: text(rows),
    'object': lambda: text({'users': rows}),
    'lines': lambda: ''.join(text(row, indent=None) + '\\n' for row in rows),
    'documents': lambda: '\\n'.join(text(row, indent=2) for row in rows),
}[given['layout']]()
sys.stdout.buffer.write(out.encode())
`;

const PHP = `
$given = json_decode(stream_get_contents(STDIN), true);
$flags = array_sum(array_map('constant', $given['options']));
$text = fn($value, $more = 0) => json_encode($value, $flags | $more | JSON_THROW_ON_ERROR);
$rows = $given['rows'];
echo match ($given['layout']) {
  'array' => $text($rows),
  'object' => $text(['users' => $rows]),
  'lines' => implode('', array_map(fn($row) => $text($row) . "\\n", $rows)),
  'documents' => implode("\\n", array_map(fn($row) => $text($row, JSON_PRETTY_PRINT), $rows)),
};
`;

const written = (how: unknown, bytes: Buffer, rows: readonly HostileRow[]): WrittenFile => ({
  how: JSON.stringify(how),
  bytes,
  rows: rows.map((row) => ({ ...row })),
  options: {},
});

/** Returns a writer that reads rows and options as JSON from standard input. */
function scripted(program: string, args: readonly string[], choose: (random: Random) => unknown): Writer {
  return {
    name: `${program}-json`,
    container: 'json',
    programs: [program],
    write(rows, random) {
      const how = { layout: random.one(LAYOUTS), options: choose(random) };
      return written(how, outputOf(program, args, JSON.stringify({ ...how, rows })), rows);
    },
  };
}

export const pythonJson = scripted('python3', ['-c', PYTHON], (random) => ({
  ensure_ascii: random.chance(0.5),
  indent: random.one([null, null, 0, 2, '\t']),
  separators: random.one([null, [',', ':'], [', ', ': ']]),
}));

const PHP_FLAGS = [
  'JSON_UNESCAPED_UNICODE',
  'JSON_UNESCAPED_SLASHES',
  'JSON_UNESCAPED_LINE_TERMINATORS',
  'JSON_HEX_QUOT',
  'JSON_HEX_TAG',
  'JSON_HEX_APOS',
];

export const phpJson = scripted('php', ['-r', PHP], (random) => PHP_FLAGS.filter(() => random.chance(0.4)));

const JQ: Record<Layout, readonly string[]> = {
  array: ['.'],
  lines: ['-c', '.[]'],
  object: ['{users: .}'],
  documents: ['.[]'],
};

export const jq: Writer = {
  name: 'jq',
  container: 'json',
  programs: ['jq'],
  write(rows, random) {
    const how = [...JQ[random.one(LAYOUTS)], ...random.one([[], ['-a'], ['--tab'], ['-S']])];
    return written(how, outputOf('jq', how, JSON.stringify(rows)), rows);
  },
};
