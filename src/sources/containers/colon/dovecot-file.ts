import { type ColonFile, HASH_LINE, isNoComment } from './colon-file.ts';
import { looksLikeShadowLine } from './shadow-file.ts';

const FIELDS = ['name', 'hash', 'uid', 'gid', 'gecos', 'home', 'shell', 'extra'] as const;
/** The rest of a line of Dovecot's passwd-file belongs to `extra`, which may contain colons. */
const PLAIN_FIELDS = FIELDS.length - 1;

const HASH = String.raw`(?:[!*]*(?:\{[A-Za-z0-9.-]{1,40}\}[^:]*|\$[^:\s]+|[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})|[!*x]*)`;
/** In Dovecot's passwd-file, uid and gid may be names, and the home directory must be a path. */
const DOVECOT_LINE = new RegExp(
  `^[^:\\s,;"|]+:${HASH}(?::\\d*|:[\\w.-]*:[\\w.-]*(?::[^:]*(?::(?:[/~%][^:]*)?(?::[^:]*(?::.*)?)?)?)?)?$`,
);
/** Matches a line with a hash scheme, such as `{BLF-CRYPT}`, that .htpasswd files do not have. */
const OWN_SCHEME = /^[^:]+:[!*]*\{(?!(?:SHA|SSHA|PLAIN)\})/;

const isNoHtpasswd = (line: string) => OWN_SCHEME.test(line) || line.split(':').length > 2;

/** `user:{SCHEME}hash:uid:gid:gecos:home:shell:extra fields`. Only the first two fields are required. */
export const dovecotFile: ColonFile = {
  name: 'dovecot',
  title: "Dovecot's passwd-file",
  fields: FIELDS,
  expected: '2 to 8',
  isRow: isNoComment,
  fits: (line) => DOVECOT_LINE.test(line),
  isOurs(lines) {
    const rows = lines.filter(isNoComment);
    return (
      rows.some((line) => isNoHtpasswd(line) && HASH_LINE.test(line)) &&
      !rows.every((line) => looksLikeShadowLine(line) && !line.includes('@'))
    );
  },
  read(line) {
    const cells = line.split(':');
    const [name = '', hash, uid = '', gid = '', gecos = '', home = '', shell = ''] = cells;
    if (name === '' || hash === undefined) return undefined;
    return { name, hash, uid, gid, gecos, home, shell, extra: cells.slice(PLAIN_FIELDS).join(':') };
  },
};
