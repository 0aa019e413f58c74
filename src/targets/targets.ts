import { ParsedHash } from '../hashing/verifier.ts';
import type { ParsedPasswordLogin, ParsedUser } from '../imports/input/parsed-user.ts';
import { auth0 } from './auth0.ts';
import { betterAuth } from './better-auth.ts';
import { clerk } from './clerk.ts';
import { firebase } from './firebase.ts';
import { keycloak, keycloakHash } from './keycloak.ts';
import { kratos } from './kratos.ts';
import { okta } from './okta.ts';
import { profileOf } from './profile.ts';
import type { FileForm, Step, Target, TargetPassword, TargetUser } from './target.ts';

/** Targets by the name that `--to` takes. */
export const TARGETS: Readonly<Record<string, Target>> = {
  kratos,
  keycloak,
  'keycloak-hash': keycloakHash,
  auth0,
  'better-auth': betterAuth,
  firebase,
  clerk,
  okta,
};

/**
 * Users whose passwords this service verifies at the first sign-in: all, or only those whose password the other system
 * cannot verify (`unverifiable`).
 */
export type FirstSignIn = 'unverifiable' | 'all';

/** Maximum number of open files. One file of each form (FileForm) is open. */
const MAX_OPEN = 100;

export interface TargetFile {
  write(text: string): void;
  /** Must be called for every file before the directory of the conversion gets its final name. */
  close(): void;
}

interface TargetDeps {
  /** Creates a file in the directory of the conversion. It holds little text before it writes it. */
  create(name: string): TargetFile;
  /** Firebase's signer key in base64, which some target systems keep in every hash. */
  signerKey: string | undefined;
  /** Users who wait for a first sign-in. Undefined: nobody. */
  firstSignIn?: FirstSignIn | undefined;
  /**
   * Value of `--federation-link`: the id that Keycloak gives to its user storage provider, which asks this service for
   * old passwords.
   */
  link?: string | undefined;
}

/** Writes the files of one conversion, in the form that a row of TARGETS declares. */
export class TargetWriter {
  readonly #target: Target;
  readonly #deps: TargetDeps;
  readonly #open = new Map<string, OpenFile>();

  constructor(target: Target, deps: TargetDeps) {
    this.#target = target;
    this.#deps = deps;
  }

  /**
   * Reduces a user to what the system has a place for. Address and password are those of the first password login, or
   * else of the first login. `lostPassword` is the family of a hash that the system cannot verify, or `plain text`,
   * unless the user waits for the first sign-in; `leftOut` are the kinds of data without a place, in words.
   */
  prepare({ externalId, profile: { metadata }, factors, disabled, methods }: ParsedUser) {
    const { takes } = this.#target;
    const [login, ...furtherPasswords] = methods.filter((method) => method.recipeId === 'emailpassword');
    const { email, verified, timeJoinedMs } = login ?? methods[0];
    const others = methods.filter((method) => method.recipeId === 'thirdparty');
    const open = factors !== undefined && 'open' in factors ? factors.open : undefined;
    const { totpDevices = [], userRoles = [], phoneNumbers = [] } = open ?? {};
    const known = this.#passwordOf(login?.credential);
    const waits = this.#waits(known);
    const { password, family, isReadTwice } = waits
      ? { ...known, password: this.#target.firstSignIn?.password, isReadTwice: false }
      : known;
    const user: TargetUser = {
      ...{ email, isVerified: verified, isDisabled: disabled === true, password },
      waits: waits ? { link: this.#deps.link } : undefined,
      externalId: externalId !== undefined && takes.externalId?.(externalId) ? externalId : undefined,
      timeJoinedMs: takes.timesOfJoining ? timeJoinedMs : undefined,
      profile: metadata === undefined ? {} : profileOf(metadata),
      metadata: metadata !== undefined && takes.metadata?.(metadata) ? metadata : undefined,
      identities: others.flatMap(({ identity, email: address }) => {
        const provider = takes.provider?.(identity.id);
        return provider === undefined ? [] : { provider, userId: identity.userId, email: address };
      }),
      totpDevices: totpDevices.filter((device) => takes.totp?.accepts(device)).slice(0, takes.totp?.max),
      roles: takes.roles ? userRoles.map(({ role }) => role) : [],
      phoneNumbers: takes.phoneNumbers ? phoneNumbers : [],
    };
    const isLeftOut = {
      'TOTP devices': user.totpDevices.length < totpDevices.length,
      roles: user.roles.length < userRoles.length,
      'phone numbers': user.phoneNumbers.length < phoneNumbers.length,
      metadata: user.metadata !== metadata,
      'external ids': user.externalId !== externalId,
      'logins at providers': user.identities.length < others.length,
      'times of joining': user.timeJoinedMs !== timeJoinedMs,
      'further password logins': furtherPasswords.length > 0,
      'other readings of the password': password !== undefined && isReadTwice,
    };
    const leftOut = Object.entries(isLeftOut).flatMap(([kind, isLeft]) => (isLeft ? kind : []));
    return { user, lostPassword: password === undefined && !waits ? family : undefined, leftOut };
  }

  write(user: TargetUser): void {
    const form = { ...this.#target.files, ...user.password?.files, ...this.#target.filesOf?.(user) };
    const { name, list, maxUsers = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = form;
    const json = this.#target.userJson(user);
    const bytes = Buffer.byteLength(json) + 2;
    let file = this.#open.get(name);
    if (file === undefined || file.users >= maxUsers || file.bytes + bytes > maxBytes) {
      file = this.#next(form, file);
      this.#open.set(name, file);
    }
    const separator = list === undefined ? '\n' : ',\n';
    file.write(file.users === 0 ? json : separator + json);
    file.users += 1;
    file.bytes += bytes;
  }

  /** Completes the files. Returns instructions for importing them, one a line. */
  end(): readonly Step[] {
    const all = [...this.#open.values()];
    for (const file of all) complete(file);
    return this.#target.steps(all.map(({ form }) => form));
  }

  /**
   * Returns whether the user waits for a first sign-in. With `unverifiable`, this includes users with a hash for which
   * this service tries two ways to turn a password into bytes, because the other system knows only one.
   */
  #waits({ password, family, isReadTwice }: KnownPassword): boolean {
    const { firstSignIn } = this.#deps;
    if (firstSignIn === undefined || family === undefined) return false;
    return firstSignIn === 'all' || password === undefined || isReadTwice;
  }

  #next(form: FileForm, last: OpenFile | undefined): OpenFile {
    if (last !== undefined) complete(last);
    const { name, list, maxUsers, maxBytes } = form;
    const number = (last?.number ?? 0) + 1;
    const isNumbered = maxUsers !== undefined || maxBytes !== undefined;
    const ending = isNumbered ? `-${String(number).padStart(5, '0')}` : '';
    const file = this.#deps.create(`${name}${ending}.${list === undefined ? 'ndjson' : 'json'}`);
    if (list !== undefined) file.write(`${list[0]}\n`);
    return { ...file, form, number, users: 0, bytes: list === undefined ? 1 : list.join('\n\n\n').length };
  }

  /** Returns the password as the files hold it, and the family of the hash. */
  #passwordOf(credential: ParsedPasswordLogin['credential'] | undefined): KnownPassword {
    const { hash, plainText } = { hash: undefined, plainText: undefined, ...credential };
    const { hashed, plainText: inClear } = this.#target;
    const parsed = hash instanceof ParsedHash ? hash : undefined;
    const found =
      plainText === undefined ? parsed && hashed(parsed, this.#deps.signerKey) : inClear?.(plainText);
    const name = found?.files?.name;
    const hasPlace = name === undefined || this.#open.has(name) || this.#open.size < MAX_OPEN;
    return {
      password: hasPlace ? found : undefined,
      family: plainText === undefined ? parsed?.algorithm : 'plain text',
      isReadTwice: parsed?.secondReading !== undefined,
    };
  }
}

interface KnownPassword {
  password: TargetPassword | undefined;
  /** Family of the hash, or `plain text`. Undefined without a password. */
  family: string | undefined;
  isReadTwice: boolean;
}

interface OpenFile extends TargetFile {
  form: FileForm;
  number: number;
  users: number;
  bytes: number;
}

function complete(file: OpenFile): void {
  file.write(file.form.list === undefined ? '\n' : `\n${file.form.list[1]}\n`);
  file.close();
}
