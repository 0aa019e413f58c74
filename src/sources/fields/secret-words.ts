import { anyOf, withoutAccents } from './column-names.ts';

/** English words for secrets. Digits may follow: `token2`. */
const ENGLISH = [
  ...['password', 'passwords', 'passwd', 'passphrase', 'passcode', 'pass', 'pw', 'pwd', 'pswd', 'psw'],
  ...['hash', 'hashes', 'hashed', 'salt', 'token', 'tokens', 'secret', 'secrets', 'credential'],
  ...['credentials', 'creds', 'jwt', 'bearer', 'cookie', 'cookies', 'nonce', 'verifier', 'otp', 'totp'],
  ...['hotp', 'mfa', '2fa', 'session', 'sessions', 'apikey', 'apikeys', 'ip', 'ips', 'cvv', 'cvc'],
  ...['pin', 'mpin', 'puk'],
];

/** Foreign words for secrets that count only as whole words, because other words contain them: `haslogo`. */
const FOREIGN = `
  clave claves parole parol parool haslo hasło hasła hesla šifra geslo sandi mima secreto secreta segredo segreto
  segreta geheim geheimnis geheimnisse jeton jetons tajne tajny sekret hemlighet hemmelighed salaisuus titok`;

/** Foreign words that also count as parts of words: databases fold `novaSenha` to `novasenha`. */
const FOREIGN_STEMS = anyOf(`
  mdp contraseñ contrasenh contrasenya contrasenia motdepasse motpasse kennwort kennwört kennwoert passwort passwört
  passwoert losungswort zugangscode wachtwoord paswoord lösenord passord adgangskode kodeord salasana tunnussana
  salasõna heslo jelszó jelszav senha şifre parola lozink slaptažod lykilorð fjalëkalim katasandi matkhau
  palavrapasse palavrachave codigosecreto palavrasecreta`);

/** Parts of words for secrets, for scripts without spaces and for languages that decline words. */
const OTHER_SCRIPTS = anyOf(`
  парол лозинк гасло токен 密码 密碼 口令 密钥 密鑰 令牌 秘钥 秘鑰 暗号 暗証 パスワード パスフレーズ トークン 秘密 合言葉
  シークレット 비밀번호 패스워드 암호 토큰 해시 비밀 κωδικ συνθηματικ סיסמ ססמ אסימון كلمةالمرور كلمةالسر كلمهالمرور
  كلمهالسر كلمةمرور رمزعبور گذرواژه پسورد पासवर्ड পাসওয়ার্ড கடவுச்சொல் รหัสผ่าน գաղտնաբառ პაროლ`);
/** Excludes the Russian words for hashtag and secretary. */
const IN_OTHER_SCRIPT = new RegExp(`${OTHER_SCRIPTS}|х[еэ]ш(?!т[еэ]г)|секрет(?!ар)|ハッシュ(?!タク)`);
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Words that make a following `key`, `code` or similar word a secret: `api_key`, `recovery_codes`. */
const OPENS =
  'api|access|account|activation|app|auth|authentication|authenticator|backup|client|confirm|confirmation|confirmed|email|emergency|encryption|factor|2fa|invitation|invite|login|magic|master|mfa|otp|password|private|recovery|refresh|register|remember|reset|scratch|secret|secure|security|service|session|shared|signer|signing|sms|totp|unlock|user|validation|verification|verify|webauthn';
const OPENER = 'keys?|codes?|answers?|stamps?|pins?|strings?|links?';
const FOREIGN_OPENS = anyOf(
  'api secreta secreto secrète privada privado privée privé privata privato acceso acesso accès accesso zugang zugangs доступа',
);
const FOREIGN_OPENER = anyOf(
  'llave llaves chave chaves clé clés chiave chiavi schlüssel schluessel sleutel nyckel nøgle nøkkel klucz klíč anahtar ključ ключ código codigo codice',
);
const PAIRS = [
  `(?:${OPENS})\\s?(?:${OPENER})`,
  `(?:${FOREIGN_OPENS})\\s?(?:${FOREIGN_OPENER})`,
  `(?:${FOREIGN_OPENER})\\s?(?:de\\s)?(?:${FOREIGN_OPENS})`,
  'mots?\\s(?:de\\s)?passe',
  'palavras?\\s(?:de\\s)?(?:passe|chave)',
  'mat\\skhau',
  'kata\\ssandi',
];
const PAIR = new RegExp(`(?:^|\\s)(?:${PAIRS.join('|')})(?=\\s|$)`);
const LAST_PAIR = new RegExp(`(?:^|\\s)(?:${PAIRS.join('|')})$`);
/** Pairs of words that are profile data and not secrets. A `pin_code` is the postal code in India. */
const HARMLESS_PAIR =
  /(?:^|\s)(?:(?:account|user|app|client|service|invite|invitation)\s?(?:codes?|links?|strings?)|palabras?\sclaves?|parole\s(?:date|officer|status)|pin\s(?:codes?|boards?|messages?|posts?|color|colour))(?=\s|$)/g;

/** Joined words for secrets: databases fold `newPassword` to `newpassword`. */
const JOINED = new RegExp(
  [
    /(?:password|passwd|passphrase|passcode|pwd|token|secret|credential|apikey|cookie|jwt)s?$/,
    /^(?:password|passwd|pwd|pw|pass)(?:hash|salt|digest|enc|crypt|md|sha|reset|token|key|change|expir|question|answer|history)/,
    /^(?:hash|salt|digest|secret|token)(?:ed)?(?:hash|salt|key|code|value|data|answer|question|pw|pwd|pass)s?$/,
    /(?:pw|pwd|pass|pre|password|user|old|new|email|cookie|remember|auth)(?:hash|salt)$/,
    /^(?:md[45]|sha\d{1,3})$/,
    /^(?:hashed|encrypted|crypted|salted)(?:pw|pwd|pass)$/,
    /^(?:hmac|totp|hotp|otp|mfa|webauthn|twofactor|fido)(?:auth|secret|key|seed|code|backup|recovery|enabled|type|config|data|device|credential|active|required|method|factor)/,
    /^(?:ip(?:addr(?:ess)?|v)?|(?:last|first|login|client|remote|signup|signin|sign|register|registration|registered|reg|user|created?|creation|current|source|host|visitor|lastlogin|lastsignin|currentsignin)ip)(?:es|s)?$/,
    /^(?:last|first|current|previous)?sessions?(?:id|key|data|hash|value)s?$/,
    new RegExp(`^(?:${FOREIGN_STEMS})|(?:${FOREIGN_STEMS})(?:[aeosn]?s?|si)$`),
    // Also Spanish `contraseña` whose ñ was lost to a wrong encoding.
    /^contrase/,
    // Spanish `clave` (key), but not clavel (carnation) or enclave.
    /^clave(?!l|ci)|(?<!en|con|auto)clave$/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

const SECRET_WORDS: ReadonlySet<string> = new Set([...ENGLISH, ...anyOf(FOREIGN).split('|')]);

/** Returns the words of a column name in lower case: `lastSignInIPs` has last, sign, in and ips. */
export const wordsOf = (name: string): string[] =>
  withoutAccents(name)
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll}{2})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);

/** Whether the words of a column name imply a hash, a token, a secret or an IP address. */
export function areOfSecret(words: readonly string[]): boolean {
  const text = words.join(' ').replace(HARMLESS_PAIR, ' ');
  return (
    isInOtherScript(words) ||
    text.split(' ').some((word) => isSecretWord(word) || isSecretWord(word.replace(/\d+$/, ''))) ||
    PAIR.test(text)
  );
}

/** Words are joined, because some scripts do not separate words and some names contain blanks. */
function isInOtherScript(words: readonly string[]): boolean {
  const text = words.join('');
  return BEYOND_ASCII.test(text) && IN_OTHER_SCRIPT.test(text);
}

/** Words that alone mean a password, both in free texts and in column names. */
const PASSWORD_WORD = new RegExp(
  `^(?:pw|pwd|pswd|psw|pass|geslo|haslo|hasla|hesla|claves?|parool)\\d*$|pass(?:word|wd|phrase|code)|^contrase|${FOREIGN_STEMS}`,
);
/** Words of facts about a password that are not the password: `password_changed_at`, `pwd_last_set`. */
const OF_PASSWORD =
  /^(?:age|at|attempts?|attributes?|chang\p{L}*|count|date|expir\p{L}*|history|last|length|manager|method|needed|on|policy|protected|protection|required|requirements?|reset\p{L}*|rules?|set|status|strength|time|type|updated?)$/u;

/** Kind of secret that a label in a free text names: `api key`, `mot de passe`. */
export function secretTold(label: string): 'password' | 'token' | undefined {
  const words = wordsOf(label);
  const named = wordsOf(label.slice(label.lastIndexOf(' ') + 1));
  if (OF_PASSWORD.test(named.at(-1) ?? '')) return undefined;
  if (
    named.some((word) => PASSWORD_WORD.test(word)) ||
    /(?:^|\s)(?:mots? de|kata|mat) (?:passe|sandi|khau)$/.test(words.join(' '))
  )
    return 'password';
  if (isInOtherScript(words)) return 'password';
  return areOfSecret(named) || LAST_PAIR.test(words.join(' ').replace(HARMLESS_PAIR, ' '))
    ? 'token'
    : undefined;
}

const isSecretWord = (word: string) => SECRET_WORDS.has(word) || (word.length > 2 && JOINED.test(word));
