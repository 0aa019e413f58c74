import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import type { LoadedUsers } from '../../sources/pipeline/load-users.ts';
import { adviceOnRealms } from '../../sources/pipeline/realms.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { generic } from '../../sources/systems/generic.ts';
import { normalizeEmail } from '../../users/email.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { nextCommand } from '../plan/next-command.ts';
import { type Prepared, prepare, stopAt } from '../plan/prepare.ts';
import { type Place, placeOf, placeText } from '../rows/verdict-counts.ts';
import { callService } from '../service-client/call-service.ts';
import { nameSecret, signerKeys } from '../service-client/signer-keys.ts';
import { askSecret } from '../terminal/prompt.ts';
import { linesOf, printable } from '../terminal/text.ts';

/** Default of --timeout. It suffices for the slowest hash that the service accepts, and for a wait in its queue. */
const TIMEOUT = '90s';

export const run: RunCommand = async (context) => {
  const { flags, terminal, words } = context;
  const email = normalizeEmail(flags.text('email') ?? '');
  if (email === undefined) throw new CliError('Name the user whose password you know: --email ADDRESS.');
  const service = readServiceAddress(context);
  if (service.isUnprotected && !flags.has('insecure-http'))
    throw new CliError(
      `prove sends no password over http:// to another machine. Give --url an https:// address, or add --insecure-http if nobody can listen on that network.`,
    );
  if (words.includes('-') && !terminal.isInteractive)
    throw new CliError('The password and the file cannot both come from stdin: name a file.');
  const prepared = await prepare(context, {
    disabled: 'include',
    // Keeps the user that was read from each row, because the result says whether that user is disabled.
    keepsOriginals: true,
    ...(!flags.has('shared-address') && { sharedAddress: 'oldest' }),
  });
  const loaded = await prepared.load();
  stopAt([adviceOnRealms(prepared.plan, loaded.tally.realms)].filter((one) => one !== undefined));
  const row = await findRow(loaded, email);
  const { hashingSecretId: namedId } = prepared.source;
  await nameSecret(row, signerKeys(service, { namedId, isShown: flags.has('show') }));
  const login = passwordLogin(row);
  const hash = hashOf(row, login, prepared);
  const password = await askSecret(terminal, 'The password of that person: ');
  if (password === '') throw new CliError('The password is empty.');
  // An import skips disabled users by default, so the result says so, whether or not the password is right.
  const where = { ...placeOf(row), ...(row.user?.state === 'DISABLED' && { skipped: 'DISABLED' }) };
  if (hash === undefined) {
    const match = login?.plainTextPassword === password;
    return printResult(context, { ...where, match, plainText: true });
  }
  const answer = await callService(service, '/recipe/user/passwordhash/verify', {
    ...{ method: 'POST', body: { ...hash, password }, timeoutMs: flags.ms('timeout', TIMEOUT) },
  });
  const { status: _, candidates: __, ...said } = asImported(answer, hash.hashingAlgorithm, prepared);
  return printResult(context, { ...where, ...said });
};

/**
 * Returns the first row with this address that is imported, or that is refused for a reason in HASH_REASONS.
 * @throws {CliError} if there is no such row
 */
async function findRow(loaded: LoadedUsers, email: string): Promise<Verdict> {
  let other: Verdict | undefined;
  for await (const batch of loaded.verdicts()) {
    for (const row of batch) {
      if (row.email !== email) continue;
      if (row.result === 'import' || refusedHash(row) !== undefined) return row;
      other ??= row;
    }
  }
  if (other === undefined)
    throw new CliError(
      'No row has that address. Correct --email, or name the file that has the user as well.',
    );
  const { reason, message } = other;
  const why = printable(message === undefined ? String(reason) : `${reason}: ${message}`);
  throw new CliError(`${placeText(placeOf(other))} has that address, and is not imported (${why}).`);
}

/**
 * Codes of rows that an import refuses because the format of the hash is not recognised. The service may still
 * recognise the format when it also has the password.
 */
const HASH_REASONS = new Set(['PASSWORD_HASH_INVALID', 'HASH_ALGORITHM_UNKNOWN']);

/** Returns the hash of a row that is refused for a reason in HASH_REASONS, or undefined for any other row. */
function refusedHash({ result, reason = '', user }: Verdict): string | undefined {
  const password = user?.password;
  if (result !== 'error' || !HASH_REASONS.has(reason) || password === undefined) return undefined;
  return 'encoded' in password ? password.encoded : undefined;
}

const passwordLogin = ({ line = '{}' }: Verdict): JsonObject | undefined => {
  const { loginMethods } = JSON.parse(line) as JsonObject;
  return objectsIn(loginMethods).find(({ recipeId }) => recipeId === 'emailpassword');
};

/**
 * Returns the hash as the verify endpoint takes it, or undefined if the export has the password in plain text.
 * @throws {CliError} if the user has no password, or one that the export does not have
 */
function hashOf(
  row: Verdict,
  login: JsonObject | undefined,
  { registry, source }: Prepared,
): JsonObject | undefined {
  const refused = refusedHash(row);
  if (refused !== undefined) return { passwordHash: refused };
  if (login === undefined)
    throw new CliError(
      `${placeText(placeOf(row))} has no password: that user signs in at a third party only. Give the --email of a user with a password.`,
    );
  const { passwordHash, hashingAlgorithm, hashingSecretId = source.hashingSecretId } = login;
  if (typeof passwordHash !== 'string') {
    if (typeof login.plainTextPassword === 'string') return undefined;
    throw new CliError(
      `${placeText(placeOf(row))} has no hash: that user ${login.legacySignIn === true ? 'waits for a first sign-in, at which the old system verifies the password' : 'sets a password by a reset'}. There is nothing to try.`,
    );
  }
  const isNamed = typeof hashingAlgorithm === 'string';
  const verifier = isNamed ? registry.named(hashingAlgorithm) : registry.recognise(passwordHash);
  return {
    passwordHash,
    ...(hashingAlgorithm !== undefined && { hashingAlgorithm }),
    // The service refuses a secret id with an algorithm that uses no secret.
    ...(verifier?.takesSecret && hashingSecretId !== undefined && { hashingSecretId }),
  };
}

async function printResult(context: CommandContext, said: Place & JsonObject): Promise<number> {
  const { terminal } = context;
  const { hashingAlgorithm, parameters, plainText, skipped } = said;
  const isMatch = said.match === true;
  const mistakes = objectsIn(said.likelyMistakes);
  const shown = Object.entries(isJsonObject(parameters) ? parameters : {}).map(
    ([name, one]) => `${name}=${one}`,
  );
  const kind = plainText ? 'in the clear' : [hashingAlgorithm, ...shown].join(' ');
  await terminal.answer(said, (paint) =>
    linesOf(
      isMatch ? paint.green('It matches.') : paint.red('It does not match.'),
      `  ${placeText(said)}: ${printable(kind)}`,
      skipped !== undefined &&
        '  This user is disabled: import skips the row, unless you add --disabled include.',
      mistakes.map(({ code, message }) => `  ${printable(`${code}: ${message}`)}`),
      !(isMatch || plainText || mistakes.length > 0) &&
        `  No common mistake explains this. Possible causes: ${otherCauses(hashingAlgorithm)}.`,
    ),
  );
  if (isMatch) terminal.next(nextCommand(context));
  else {
    const again = [...nextCommand(context, { command: 'prove' }), '--email', 'ADDRESS'];
    terminal.next(again, 'once that is corrected');
  }
  return isMatch ? EXIT.ok : EXIT.someFailed;
}

/** Returns the possible causes of a mismatch, between which the service cannot distinguish. */
const otherCauses = (algorithm: unknown) =>
  algorithm === 'external_scrypt'
    ? 'a wrong password, or the service has the signer key of another project (external_password_hashing_signer_key, hashing_secrets)'
    : 'a wrong password, other parameters than those above, or a secret (pepper) that is not configured';

/**
 * Converts an answer of the verify endpoint to what an import would do. The endpoint also tries algorithms
 * that an import uses only if --algorithm names them; such a match becomes a failure.
 * @param named the algorithm that was sent to the endpoint, if any
 */
function asImported(answer: JsonObject, named: unknown, prepared: Prepared): JsonObject {
  const matches = objectsIn(answer.matches);
  const [first] = matches;
  const taken = matches.find(({ mustBeNamed }) => mustBeNamed !== true);
  if (named === undefined && taken !== undefined) {
    const { hashingAlgorithm, parameters, cost } = taken;
    return { ...answer, hashingAlgorithm, parameters, cost };
  }
  const flag = first && flagFor(String(first.hashingAlgorithm), prepared);
  if (named === undefined && first !== undefined) {
    const message = `The password matches as ${first.hashingAlgorithm}, and an import would take the hash for another family or refuse it. ${flag}`;
    return { ...answer, match: false, likelyMistakes: [{ code: 'ALGORITHM_NOT_NAMED', message }] };
  }
  if (answer.match === true || !Array.isArray(answer.likelyMistakes)) return answer;
  const steps = prepared.plan.source.name === generic.name ? TEMPLATE_STEPS : COLUMN_STEPS;
  const likelyMistakes = objectsIn(answer.likelyMistakes).map(({ code, message }) => ({
    code,
    message: [message, flag ?? steps[String(code)]].filter((part) => part !== undefined).join(' '),
  }));
  return { ...answer, likelyMistakes };
}

/** Changes to the template of the hash (`--hash`), by the code of the mistake. */
const TEMPLATE_STEPS: Readonly<Record<string, string>> = {
  BASE64_INSTEAD_OF_HEX: 'In --hash, write {COLUMN|base64|to-hex}.',
  HASH_AND_SALT_SWAPPED: 'Swap the two columns in --hash.',
  HEX_INSTEAD_OF_BASE64: 'In --hash, write {COLUMN|hex}.',
  SALT_AS_TEXT: 'In --hash, write {COLUMN|hex} or {COLUMN|base64} for the salt.',
  SALT_DECODED: 'In --hash, write {COLUMN|utf8} for the salt.',
  URL_SAFE_OR_UNPADDED_BASE64: 'In --hash, write {COLUMN|base64}.',
};

const BY_COLUMNS = 'Read the files by their columns, with this flag: --from generic.';

/** Next steps for systems without `--hash`, by the code of the mistake. */
const COLUMN_STEPS: Readonly<Record<string, string>> = {
  HASH_IN_PIECES: BY_COLUMNS,
  SALTED_DIGEST: BY_COLUMNS,
};

function flagFor(algorithm: string, { plan: { source } }: Prepared): string {
  const flag = `--algorithm ${algorithm}`;
  return Object.hasOwn(source.settings ?? {}, 'algorithm')
    ? `Add ${flag}.`
    : `--from ${source.name} has no option for it. Read the files by their columns instead: --from generic ${flag}.`;
}
