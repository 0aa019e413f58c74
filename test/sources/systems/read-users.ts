import { isJsonObject, type JsonObject } from '../../../src/imports/input/json-object.ts';
import type { TableHead } from '../../../src/sources/containers/table.ts';
import type { Dropped, Form, FoundDetails, Settings, Source } from '../../../src/sources/source.ts';
import type { SourceUser } from '../../../src/sources/source-user.ts';
import type { SampleTable } from './app-tables.ts';

export const NOW_MS = Date.UTC(2026, 3, 1);

/** What was read of tables, without a pipeline: everything is in memory. */
export interface ReadUsers {
  form: Form;
  users: readonly SourceUser[];
  dropped: readonly Dropped[];
}

/** The first form that has a table of users among these, and the table. */
export function findForm(
  source: Source,
  heads: readonly TableHead[],
  isNamed = false,
): { form: Form; table: TableHead } | undefined {
  for (const form of source.forms) {
    const table = heads.find((head) => form.isUsers(head, {}, { tables: heads, isNamed }));
    if (table !== undefined) return { form, table };
  }
  return undefined;
}

export function readUsers(
  source: Source,
  tables: readonly SampleTable[],
  { settings = {}, isNamed = false }: { settings?: Settings; isNamed?: boolean } = {},
): ReadUsers {
  const heads = tables.map(({ head }) => head);
  const found = findForm(source, heads, isNamed);
  if (found === undefined) throw new Error(`${source.name} does not know these tables`);
  const { form, table } = found;
  const index = indexOf(form, tables);
  const dropped: Dropped[] = [];
  const details: FoundDetails = (name, key) => index.get(`${name} ${key}`) ?? [];
  const users = (tables.find(({ head }) => head === table)?.records ?? []).flatMap((record) => {
    const user = form.read(record, {
      table,
      settings,
      nowMs: NOW_MS,
      details,
      hasDetail: (name) => heads.some((head) => form.details?.[name]?.fits(head)),
      drop: (what) => dropped.push(what),
    });
    return user === undefined ? [] : [user];
  });
  return { form, users, dropped };
}

type Index = ReadonlyMap<string, readonly JsonObject[]>;

function indexOf({ details = {} }: Form, tables: readonly SampleTable[]): Index {
  const index = new Map<string, JsonObject[]>();
  for (const [name, detail] of Object.entries(details)) {
    for (const record of tables.filter(({ head }) => detail.fits(head)).flatMap(({ records }) => records)) {
      const kept = detail.keep(record);
      if (kept === undefined) continue;
      const key = `${name} ${detail.keyOf(record)}`;
      // As it would come from a disk.
      index.set(key, [...(index.get(key) ?? []), JSON.parse(JSON.stringify(kept))]);
    }
  }
  return index;
}

export interface PlainMethod {
  hash?: { encoded: string; algorithm: string | undefined } | undefined;
  identity?:
    | { provider: string; userId: string; email: string | undefined; isVerified: boolean | undefined }
    | undefined;
}

/** Hashes and identities, whichever of the two ways a user says them in. */
export function methodsOf(user: SourceUser): PlainMethod[] {
  if (user.loginMethods !== undefined) {
    return user.loginMethods.filter(isJsonObject).map((method) =>
      method.recipeId === 'thirdparty'
        ? {
            identity: {
              provider: String(method.thirdPartyId),
              userId: String(method.thirdPartyUserId),
              email: String(method.email),
              isVerified: method.isVerified === true,
            },
          }
        : {
            hash: {
              encoded: String(method.passwordHash),
              algorithm: method.hashingAlgorithm as string | undefined,
            },
          },
    );
  }
  const { password, identities = [] } = user;
  const hashes =
    password !== undefined && 'encoded' in password
      ? [{ hash: { encoded: password.encoded, algorithm: password.algorithm } }]
      : [];
  const accounts = identities.map(({ provider, userId, email, isVerified }) => ({
    identity: { provider, userId, email: email ?? user.email, isVerified: isVerified ?? user.isVerified },
  }));
  return [...hashes, ...accounts];
}
