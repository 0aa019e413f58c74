import { HOOKS } from '../../../src/hooks/moves.ts';
import { type AppOptions, buildApp } from '../../../src/http/app.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { ENDPOINTS } from '../../http/route-examples.ts';
import { readText } from './read-text.ts';

type Responses = Record<string, { description: string } | { $ref: string }>;

interface Operation {
  responses: Responses;
  parameters?: { name: string; schema: { type?: string }; example?: string | boolean }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
}

const QUESTION = { identifier: 'ada@example.com', password: 'old password' };

/** Bodies of hooks in the form of a provider, which have no example there. */
const OF_PROVIDERS: Readonly<Record<string, object>> = {
  '/hooks/rehearse': { ...QUESTION, wasRight: true },
  '/hooks/kratos': QUESTION,
  '/hooks/keycloak/:login': { password: QUESTION.password },
  '/hooks/okta': {
    eventType: 'com.okta.user.credential.password.import',
    data: { context: { credential: { username: QUESTION.identifier, password: QUESTION.password } } },
  },
};

interface Description {
  servers?: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { responses?: Responses };
}

/** Stands for all that routes need when they answer. Nothing is asked here. */
const UNUSED: unknown = new Proxy(() => UNUSED, { get: () => UNUSED });

function unusedExcept(given: Partial<AppOptions>): AppOptions {
  return new Proxy(given, {
    get: (target, name) => (name in target ? Reflect.get(target, name) : UNUSED),
  }) as AppOptions;
}

/** Returns what `/openapi.json` serves with all hooks, and as examples the requests that tests send to each endpoint. */
async function describe(): Promise<string> {
  const app = await buildApp(
    unusedExcept({
      version: JSON.parse(readText('package.json')).version,
      logger: createLogger('silent'),
      bodyLimitBytes: 1_048_576,
      requestTimeoutMs: 10_000,
      draining: new AbortController().signal,
      servedHooks: new Set(HOOKS),
      pageEnabled: false,
      front: undefined,
    }),
  );
  await app.ready();
  const description = structuredClone(app.swagger()) as unknown as Description;
  await app.close();
  description.servers = [{ url: 'http://localhost:3567' }];
  for (const { method, path, url, example } of ENDPOINTS) {
    const operation = description.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    const query = new URL(url, 'http://localhost').searchParams;
    for (const parameter of operation?.parameters ?? []) {
      const value = query.get(parameter.name);
      if (value !== null) parameter.example = parameter.schema.type === 'boolean' ? value === 'true' : value;
    }
    for (const content of Object.values(operation?.requestBody?.content ?? {}))
      content.example = OF_PROVIDERS[path] ?? example().body;
  }
  shareResponses(description);
  // Each example that is made has a new user, whatever tests ran before in this process.
  return `${JSON.stringify(description, undefined, 1).replaceAll(/new-\d+@b\.c/g, 'new@b.c')}\n`;
}

/** Makes components of the responses that several operations have, which are most of the errors. */
function shareResponses({ paths, components }: Description): void {
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  const all = operations.flatMap(({ responses }) =>
    Object.values(responses).map((one) => JSON.stringify(one)),
  );
  const names = new Map<string, string>();
  components.responses = {};
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      const text = JSON.stringify(response);
      if (all.indexOf(text) === all.lastIndexOf(text)) continue;
      const name = names.get(text) ?? `Answer${status}v${names.size + 1}`;
      names.set(text, name);
      components.responses[name] = response;
      responses[status] = { $ref: `#/components/responses/${name}` };
    }
}

let made: Promise<string> | undefined;

/** Returns docs/openapi.json. */
export function openApiDocument(): Promise<string> {
  made ??= describe();
  return made;
}
