import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { wrap } from '../../../src/cli/terminal/wrap.ts';
import { urlOf } from './read-text.ts';

const COLUMNS = 112;
const LINE_HEIGHT = 17;
/** Width of a character of the font at 13 px. */
const CHARACTER = 7.83;
const MARGIN = 18;

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Returns what `user-import` prints for a sample of WordPress, as somebody sees it in a terminal. */
function inspected(): string[] {
  const cli = fileURLToPath(urlOf('src/cli.ts'));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), cli, 'inspect', 'dump.sql'],
    { cwd: fileURLToPath(urlOf('test/sources/samples/wordpress')), encoding: 'utf8' },
  );
  // 2: a question is open.
  if (status !== 2) throw new Error(`user-import inspect failed: ${stderr}`);
  return ['$ user-import inspect dump.sql', ...wrap(`${stdout}\n${stderr}`.trimEnd(), COLUMNS).split('\n')];
}

/** Returns docs/images/inspect.svg: the output of `user-import inspect` on a dark terminal. */
export function inspectPicture(): string {
  const lines = inspected();
  const width = Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const texts = lines.map(
    (line, index) =>
      `<text x="${MARGIN}" y="${MARGIN + (index + 0.75) * LINE_HEIGHT}" xml:space="preserve">${escaped(line)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>What user-import inspect prints for a dump of WordPress</title>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
<g fill="#d7dae0" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13">
${texts.join('\n')}
</g>
</svg>
`;
}
