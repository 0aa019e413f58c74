import { objectsIn } from '../../src/lib/json/json-object.ts';
import type { Advice, Form, Source } from '../../src/sources/source.ts';
import type { SourceUser } from '../../src/sources/source-user.ts';
import { SOURCES } from '../../src/sources/sources.ts';

/** A line of a file of the made-up system, whose records all have the member `toy`. */
interface ToyRecord {
  id?: string;
  email?: string;
  hash?: string;
  algorithm?: string;
  plain?: string;
  state?: SourceUser['state'];
  google?: string;
  saml?: string;
  roles?: boolean;
  bannedUntil?: number;
  /** Makes the reader fail. */
  fault?: string;
}

const FORM: Form = {
  name: 'toy-ndjson',
  hasPages: true,
  isUsers: ({ columns }) => columns.has('toy'),
  known: 'all',
  read(record, { drop, nowMs, settings: { emailDomain: domain } }) {
    const user = record as ToyRecord;
    const { id, email, hash, algorithm, plain, state, google, saml, roles, bannedUntil = 0 } = user;
    if (user.fault !== undefined) throw new TypeError(user.fault);
    if (roles) drop('roles');
    return {
      externalUserId: id,
      email:
        email === undefined || domain === undefined || email.includes('@') ? email : `${email}@${domain}`,
      timeJoinedMs: 1_600_000_000_000,
      state: bannedUntil > nowMs ? 'DISABLED' : state,
      ...(hash !== undefined && { password: { encoded: hash, algorithm } }),
      ...(plain !== undefined && { password: { plainText: plain } }),
      identities: [
        ...(google === undefined ? [] : [{ provider: 'google.com', userId: google }]),
        ...(saml === undefined ? [] : [{ provider: 'corp', userId: saml, isSso: true }]),
      ],
    };
  },
  // Records may have advice.
  advice: ({ tables }) =>
    tables.flatMap(({ first }) => first.flatMap(({ advice }) => objectsIn(advice) as unknown as Advice[])),
};

const TOY: Source = {
  name: 'toy',
  title: 'Toy exports',
  forms: [FORM],
  settings: { emailDomain: 'x', map: 'x', hash: 'x' },
};

let runs = 0;

/** Runs the tool, which reads files of the made-up system as those of any other one meanwhile. */
export async function withToy<Result>(run: () => Promise<Result>): Promise<Result> {
  const sources = SOURCES as Source[];
  if (runs === 0) sources.unshift(TOY);
  runs += 1;
  try {
    return await run();
  } finally {
    runs -= 1;
    if (runs === 0) sources.splice(sources.indexOf(TOY), 1);
  }
}
