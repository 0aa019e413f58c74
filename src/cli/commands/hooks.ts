import { randomBytes } from 'node:crypto';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { type Answer, askService } from '../service-client/call-service.ts';
import { linesOf } from '../terminal/text.ts';

/**
 * How a hook is called, and how it must answer: "no match" to a wrong password, and an error of another kind (a fault)
 * to a wrong key.
 */
interface HookForm {
  /** Part of the path after `/hooks/NAME`. */
  path(identifier: string): string;
  body(identifier: string, password: string): object;
  isNoMatch(answer: Answer): boolean;
  /**
   * Returns whether this is the right answer to a wrong key. Undefined: the connection was closed without an answer.
   */
  isFault(answer: Answer | undefined): boolean;
}

/** Form of hooks in this service's own format, such as `verify`. The forms in HOOKS replace parts of it. */
const OWN: HookForm = {
  path: () => '',
  body: (identifier, password) => ({ identifier, password }),
  isNoMatch: ({ status, text }) => status === 200 && text === '{"status":"NO_MATCH"}',
  isFault: (answer) =>
    answer !== undefined && answer.status >= 400 && answer.status !== 403 && answer.status !== 404,
};

/** How each hook differs from OWN, by name (docs/password-hooks.md). `hash` is called with a hash instead of a user. */
const HOOKS: Readonly<Record<string, Partial<HookForm>>> = {
  hash: {
    body: (_identifier, password) => ({ passwordHash: BCRYPT, hashingAlgorithm: 'bcrypt', password }),
  },
  rehearse: {
    body: (identifier, password) => ({ identifier, password, wasRight: false }),
    isNoMatch: ({ status }) => status === 204,
  },
  verify: {},
  kratos: {
    isNoMatch: ({ status }) => status === 403,
    isFault: (answer) => answer?.status === 424,
  },
  keycloak: {
    path: (identifier) => `/${encodeURIComponent(identifier)}`,
    body: (_identifier, password) => ({ password }),
    isNoMatch: ({ status }) => status === 401,
    isFault: (answer) => answer === undefined,
  },
  okta: {
    body: (username, password) => ({
      eventType: 'com.okta.user.credential.password.import',
      data: { context: { credential: { username, password } } },
    }),
    isNoMatch: ({ status, text }) => status === 200 && text.includes('"UNVERIFIED"'),
    isFault: (answer) => answer?.status === 424,
  },
};

/** Hash of a password that nobody knows. */
const BCRYPT = '$2b$04$abcdefghijklmnopqrstuuFkqCYl1sZhFcdBXBznR1I2LdekaY3XO';

/**
 * Calls a hook as an identity provider would, for a user who does not exist: with the API key, and with a wrong key.
 */
export const run: RunCommand = async (context) => {
  const [verb, hook = ''] = context.words;
  if (verb !== 'check') throw new CliError('Usage: user-import hooks check HOOK');
  if (!Object.hasOwn(HOOKS, hook)) throw new CliError(`Name a hook: ${Object.keys(HOOKS).join(', ')}`);
  const form = { ...OWN, ...HOOKS[hook] };
  const service = readServiceAddress(context);
  const problems = await problemsOf(service, hook, form);
  await context.terminal.answer({ hook, url: service.url, problems }, (paint) =>
    problems.length > 0
      ? problems
      : [
          `${paint.bold('OK')}: ${service.url}/hooks/${hook}${decodeURI(form.path('…'))} answers as ${hook} must, to a wrong password and to a wrong key.`,
        ],
  );
  if (problems.length === 0) context.terminal.next(['user-import', 'status', '--waiting', 'waiting.ndjson']);
  return problems.length === 0 ? EXIT.ok : EXIT.someFailed;
};

async function problemsOf(service: ServiceAddress, hook: string, form: HookForm): Promise<string[]> {
  const identifier = `${randomBytes(9).toString('hex')}@nowhere.invalid`;
  const password = randomBytes(12).toString('hex');
  const ask = (apiKey: string) =>
    askService(service, `/hooks/${hook}${form.path(identifier)}`, {
      ...{ method: 'POST', body: form.body(identifier, password) },
      // If --url is wrong, another server gets the key, and may log the header `api-key`, but hardly `authorization`.
      headers: { authorization: `Bearer ${apiKey}` },
    });
  const asked = await ask(service.apiKey);
  const wrong = await ask(randomBytes(20).toString('hex'));
  const statusOf = (answer: Answer | undefined) =>
    answer === undefined ? 'no answer' : `status ${answer.status}`;
  return linesOf(
    (asked === undefined || !form.isNoMatch(asked)) &&
      (asked?.status === 200
        ? `A wrong password got status 200, which ${hook} takes for a match: anybody could sign in with any password. Correct --url, or the proxy before the service.`
        : `A wrong password got ${statusOf(asked)}, which is not the answer "no match" of the hook. Is it in password_hooks, and has the key the right verify?`),
    asked !== undefined &&
      asked.headers['x-user-import-hook'] !== hook &&
      'The answer lacks the header x-user-import-hook, so it is not from this service, or a proxy has removed it.',
    !form.isFault(wrong) &&
      `A wrong key got ${statusOf(wrong)}, which the provider may take for a wrong password.`,
  );
}
