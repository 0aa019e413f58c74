/** Plain-text passwords behind the name of a scheme are hashed, whichever way they arrive. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import { ParsedHash, tryParse } from '../../src/hashing/verifier.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { createTestDatabase } from '../support/database.ts';
import { importLines, ndjson } from '../support/ndjson.ts';
import { failure, IMPORT, signInStatus, VERIFY } from '../support/service-calls.ts';
import {
  isAvailable,
  passwordOf,
  secretOf,
  vectorsOf,
  verifierOf,
  WIDEST_LIMITS,
} from '../support/vectors.ts';

const PASSWORD = 'Tr0ub4dor and more';
const SCHEMES = ['noop', 'PLAIN', 'CLEARTEXT', 'CLEAR'];

describe('a plain-text password', () => {
  let service: TestApp;
  let stored: () => Promise<string>;
  beforeEach(async () => {
    const database = await createTestDatabase();
    service = await createTestApp({ database, stagedWaits: true });
    stored = async () => {
      const tables = ['password_logins', 'staged_users', 'import_changes'];
      const known = await database.db.query<{ name: string }>(
        `select table_name as name from information_schema.tables where table_schema = current_schema()`,
      );
      const rows = await Promise.all(
        known
          .filter(({ name }) => tables.includes(name))
          .map(({ name }) => database.db.query(`select to_jsonb(t) as row from ${name} t`)),
      );
      return JSON.stringify(rows);
    };
  });

  afterEach(() => service.close());

  const WAYS: Record<string, (email: string, passwordHash: string) => Promise<void>> = {
    'by itself': async (email, passwordHash) => {
      expect((await service.send('POST', IMPORT, { email, passwordHash })).status).toBe(200);
    },
    'in place of another': async (email, passwordHash) => {
      await service.send('POST', IMPORT, { email, passwordHash: '{noop}another' });
      expect((await service.send('POST', IMPORT, { email, passwordHash })).status).toBe(200);
    },
    'as a line': async (email, passwordHash) => {
      const { summary } = await importLines(service, ndjson({ email, passwordHash }));
      expect(summary).toMatchObject({ created: 1, algorithms: { argon2: 1 } });
    },
    'as a payload': async (email, passwordHash) => {
      const line = { loginMethods: [{ recipeId: 'emailpassword', email, passwordHash }] };
      expect((await importLines(service, ndjson(line))).summary).toMatchObject({ created: 1 });
    },
    'in a dry run before': async (email, passwordHash) => {
      const dry = await importLines(service, ndjson({ email, passwordHash }), '?dryRun=true');
      const { summary } = await importLines(service, ndjson({ email, passwordHash }));
      expect(dry.summary).toMatchObject({ created: 1, algorithms: summary?.algorithms });
    },
    staged: async (email, passwordHash) => {
      const users = [{ loginMethods: [{ recipeId: 'emailpassword', email, passwordHash }] }];
      expect((await service.send('POST', '/bulk-import/users', { users })).status).toBe(200);
      expect(await stored()).not.toContain(PASSWORD);
      await service.staged.idle();
    },
    'at once': async (email, passwordHash) => {
      const user = { loginMethods: [{ recipeId: 'emailpassword', email, passwordHash }] };
      expect((await service.send('POST', '/bulk-import/import', user)).body.status).toBe('OK');
    },
  };

  it.each(Object.keys(WAYS))('is hashed when it is sent %s', async (way) => {
    for (const [index, scheme] of SCHEMES.entries()) {
      const email = `u${index}@b.c`;
      await WAYS[way]?.(email, `{${scheme}}${PASSWORD}`);
      expect(await stored()).toContain(email);
      expect(await signInStatus(service, email, PASSWORD)).toBe('OK');
    }
    expect(await stored()).not.toContain(PASSWORD);
  });

  it('may not be empty', async () => {
    const empty = failure(400, 'PASSWORD_EMPTY', 'Password cannot be an empty string');
    for (const scheme of SCHEMES) {
      expect(
        await service.send('POST', IMPORT, { email: 'a@b.c', passwordHash: `{${scheme}}` }),
      ).toMatchObject(empty);
      const { results } = await importLines(service, ndjson({ email: 'a@b.c', passwordHash: `{${scheme}}` }));
      expect(results).toMatchObject([{ status: 'FAILED', code: 'PASSWORD_EMPTY' }]);
    }
  });

  it('is verified against a plain password, without being stored', async () => {
    const trial = { passwordHash: `{noop}${PASSWORD}`, password: PASSWORD };
    expect((await service.send('POST', VERIFY, trial)).body).toMatchObject({ match: true });
    expect(await stored()).not.toContain(PASSWORD);
  });
});

/** Returns encodings of the password that anybody can read back. */
const readable = (password: Buffer) => {
  const reversed = Buffer.from(password).reverse();
  const forms = [password, reversed, Buffer.from(password.toString('utf8'), 'utf16le')];
  return forms.flatMap((bytes) => [
    bytes.toString('utf8'),
    bytes.toString('hex'),
    bytes.toString('base64').replaceAll('=', ''),
    Buffer.from(bytes.map((byte) => byte ^ 0x5f))
      .toString('base64')
      .replaceAll('=', ''),
  ]);
};

const holds = (encoded: string, password: Buffer) =>
  readable(password).some((text) => encoded.toLowerCase().includes(text.toLowerCase()));

describe('no family stores a password that can be read back', () => {
  const names = FAMILIES.map(({ name }) => name).filter(isAvailable);
  it.each(names)('%s', (name) => {
    for (const vector of vectorsOf(name)) {
      const password = passwordOf(vector);
      if (vector.expect !== true || password.length < 5) continue;
      const hash = tryParse(verifierOf(name, WIDEST_LIMITS, secretOf(vector)), vector.hash);
      if (!(hash instanceof ParsedHash) || hash.clearText !== undefined) continue;
      // Some vectors use their password as salt or user name.
      const digestless = hash.shell();
      if (!holds(digestless, password)) expect(holds(vector.hash, password), vector.id).toBe(false);
    }
  });
});
