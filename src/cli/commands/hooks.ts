import { randomBytes } from 'node:crypto';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { type Answer, askService } from '../service-client/call-service.ts';
import { linesOf } from '../terminal/text.ts';

/** How a hook must answer: "no match" for a wrong password, and a fault for a wrong key. */
interface HookForm {
  /** What follows `/hooks/NAME`. */
  path(identifier: string): string;
  body(identifier: string, password: string): object;
  isNoMatch(answer: Answer): boolean;
  /** Undefined: the connection is closed without an answer. */
  isFault(answer: Answer | undefined): boolean;
}

/** Form of the hooks of this service's own, which `verify` has. */
const OWN: HookForm = {
  path: () => '',
  body: (identifier, password) => ({ identifier, password }),
  isNoMatch: ({ status, text }) => status === 200 && text === '{"status":"NO_MATCH"}',
  isFault: (answer) =>
    answer !== undefined && answer.status >= 400 && answer.status !== 403 && answer.status !== 404,
};

/** How the hooks in docs/password-hooks.md differ. `hash` is asked about a hash, not about a user. */
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

/** Asks a hook as the provider would, about nobody, with the key and with a wrong one. */
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
      // Other servers, to which a wrong --url leads, log other headers.
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
