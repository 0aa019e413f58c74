import { request } from 'node:http';
import type { Hook } from '../../src/hooks/moves.ts';
import { API_KEY, type TestApp } from '../support/app.ts';

/** What a provider understands. `fault`: it neither lets the user in nor says that the password is wrong. */
export type Verdict = 'match' | 'no match' | 'fault' | 'not served';

export interface Reply {
  /** 0 if the connection was closed without an answer. */
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

interface Question {
  path: string;
  body: unknown;
}

export interface Asker {
  hook: Hook;
  /** Whether the provider asks only as long as it has no password of the user. */
  asksWhileWaiting: boolean;
  question(identifier: string, password: string): Question;
  verdictOf(reply: Reply): Verdict;
}

const statusIn = (body: string) => (body.startsWith('{') ? JSON.parse(body) : {});

/** Providers as `docs/password-hooks.md` describes them, each with its own reading of answers. */
export const ASKERS: readonly Asker[] = [
  {
    ...{ hook: 'verify', asksWhileWaiting: false },
    question: (identifier, password) => ({ path: '/hooks/verify', body: { identifier, password } }),
    verdictOf: ({ status, body }) => {
      if (status !== 200) return status === 404 ? 'not served' : 'fault';
      return statusIn(body).status === 'MATCH' ? 'match' : 'no match';
    },
  },
  {
    ...{ hook: 'verify', asksWhileWaiting: true },
    question: (identifier, password) => ({
      path: '/hooks/verify',
      body: { identifier, password, waits: true },
    }),
    verdictOf: ({ status, body }) => {
      if (status !== 200) return status === 404 ? 'not served' : 'fault';
      return statusIn(body).status === 'MATCH' ? 'match' : 'no match';
    },
  },
  {
    ...{ hook: 'kratos', asksWhileWaiting: true },
    question: (identifier, password) => ({ path: '/hooks/kratos', body: { identifier, password } }),
    verdictOf: ({ status, body }) => {
      if (status === 200 && statusIn(body).status === 'password_match') return 'match';
      if (status === 403) return 'no match';
      return status === 404 ? 'not served' : 'fault';
    },
  },
  {
    ...{ hook: 'keycloak', asksWhileWaiting: true },
    question: (identifier, password) => ({
      path: `/hooks/keycloak/${encodeURIComponent(identifier)}`,
      body: { password },
    }),
    verdictOf: ({ status }) => {
      if (status === 200) return 'match';
      return status === 404 ? 'not served' : status === 0 ? 'fault' : 'no match';
    },
  },
  {
    ...{ hook: 'okta', asksWhileWaiting: true },
    question: (username, password) => ({
      path: '/hooks/okta',
      body: {
        eventType: 'com.okta.user.credential.password.import',
        data: { context: { credential: { username, password } } },
      },
    }),
    verdictOf: ({ status, body }) => {
      if (status !== 200) return status === 404 ? 'not served' : 'fault';
      return statusIn(body).commands[0].value.credential === 'VERIFIED' ? 'match' : 'no match';
    },
  },
];

export const nameOf = ({ hook, asksWhileWaiting }: Asker) =>
  hook === 'verify' && asksWhileWaiting ? 'verify with waits' : hook;

/** Listens, because a closed connection cannot be seen otherwise. Returns the address. */
export const listen = ({ app }: TestApp) => app.listen({ port: 0, host: '127.0.0.1' });

export function post(
  url: string,
  { path, body }: Question,
  headers: Record<string, string> = { 'api-key': API_KEY },
): Promise<Reply> {
  return new Promise((resolve) => {
    const options = {
      ...{ method: 'POST', agent: false },
      headers: { 'content-type': 'application/json', ...headers },
    };
    const call = request(url + path, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
      );
    });
    call.on('error', () => resolve({ status: 0, body: '', headers: {} }));
    call.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}
