import { type ColonFile, isNoComment } from './colon-file.ts';
import { looksLikeShadowLine } from './shadow-file.ts';

const FIELDS = ['name', 'hash', 'uid', 'gid', 'gecos', 'home', 'shell', 'extra'] as const;
/** Fields before the extra ones, which may hold colons. */
const PLAIN_FIELDS = FIELDS.length - 1;

const HASH = String.raw`(?:[!*]*(?:\{[A-Za-z0-9.-]{1,40}\}[^:]*|\$[^:\s]+|[./0-9A-Za-z]{13}|_[./0-9A-Za-z]{19})|[!*x]*)`;
/** An id may be the name of a user or group; a home is a path. */
const DOVECOT_LINE = new RegExp(
  `^[^:\\s,;"|]+:${HASH}(?::\\d*|:[\\w.-]*:[\\w.-]*(?::[^:]*(?::(?:[/~%][^:]*)?(?::[^:]*(?::.*)?)?)?)?)?$`,
);
/** A scheme that .htpasswd has not. */
const OWN_SCHEME = /^[^:]+:[!*]*\{(?!(?:SHA|SSHA|PLAIN)\})/;

/** A hash, and not only signs in its place. */
const HASH_LINE = /^[^:]+:[!*]*[^!*x:]/;

/** Returns whether a line of .htpasswd would not look like this. */
const isNoHtpasswd = (line: string) => OWN_SCHEME.test(line) || line.split(':').length > 2;

/** The passwd-file of Dovecot: `user:{SCHEME}hash:uid:gid:gecos:home:shell:extra fields`, of which the first two are needed. */
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
