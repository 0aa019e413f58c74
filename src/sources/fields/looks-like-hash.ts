/** Beginnings of hashes that name their algorithm: `$…$`, `{SCHEME}`, `pbkdf2_sha256$…`. */
const TELLING = [
  /^U?\$[a-z0-9_-]{1,32}[$,]/i,
  /^\{[a-z0-9_-]{1,40}\}/i,
  /^(?:pbkdf2|argon2|bcrypt|scrypt|md5|sha\d{1,3})[a-z0-9_:]{0,40}\$/i,
];
const SHAPES = [
  ...TELLING,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?:$|:)/i,
];

export const describesItself = (text: string): boolean => TELLING.some((shape) => shape.test(text));

/** Whether a text may be a hash. It is then never imported as a plain-text password, whatever options are set. */
export const looksLikeHash = (text: string): boolean => SHAPES.some((shape) => shape.test(text));
