import { isPostgresText } from '../../lib/text/characters.ts';
import { FACTORS_SECRET_MISSING } from '../../users/factor-vault.ts';
import {
  hasFactors,
  isLongerThan,
  MAX_CHARACTERS,
  TOTP_ALGORITHMS,
  TOTP_DEFAULTS,
  type TotpDevice,
  type UserFactors,
  type UserRole,
} from '../../users/user.ts';
import { FieldReader } from './field-reader.ts';

/** Maximum number of TOTP devices, of roles and of phone numbers of one user. Bounds what is stored. */
export const MAX_FACTORS = 100;

export const MAX_PERIOD_SECONDS = 86_400;
export const MAX_SKEW = 100;
export const DIGITS = { min: 4, max: 10 };

/** Base32 (RFC 4648) without padding. */
const BASE32 = /^[A-Z2-7]+$/;

/** @param isKept whether factors can be stored; if not, they are refused */
export function readFactors(user: FieldReader, isKept: boolean): UserFactors | undefined {
  const { members } = user;
  // Fast path: nearly all users have none.
  if (
    members.totpDevices === undefined &&
    members.userRoles === undefined &&
    members.phoneNumbers === undefined
  )
    return undefined;
  const roles = few(user, 'userRoles', user.objects('userRoles'));
  const totpDevices = few(user, 'totpDevices', user.objects('totpDevices')).flatMap((device) =>
    readDevice(new FieldReader(device, ' for a totp device.', user.errors)),
  );
  const userRoles = roles.flatMap((role) =>
    readRole(new FieldReader(role, ' for a user role.', user.errors)),
  );
  const phoneNumbers = few(user, 'phoneNumbers', user.texts('phoneNumbers'));
  for (const phoneNumber of phoneNumbers) {
    if (isLongerThan(phoneNumber, MAX_CHARACTERS.identity) || !isPostgresText(phoneNumber))
      user.addError(`phoneNumbers should hold text of at most ${MAX_CHARACTERS.identity} characters`);
  }
  const factors = { totpDevices, userRoles, phoneNumbers };
  if (!hasFactors(factors)) return undefined;
  if (!isKept) {
    user.errors.add(FACTORS_SECRET_MISSING, 'FACTORS_SECRET_MISSING');
    return undefined;
  }
  return factors;
}

function few<Item>(
  user: FieldReader,
  name: 'totpDevices' | 'userRoles' | 'phoneNumbers',
  items: readonly Item[] | undefined,
): readonly Item[] {
  if (items === undefined || items.length <= MAX_FACTORS) return items ?? [];
  user.errors.add(`At most ${MAX_FACTORS} ${name} are allowed.`);
  return [];
}

function readDevice(fields: FieldReader): TotpDevice[] {
  const secretKey = readSecretKey(fields);
  const period = fields.integer('period') ?? TOTP_DEFAULTS.period;
  const skew = fields.integer('skew') ?? TOTP_DEFAULTS.skew;
  const digits = fields.integer('digits') ?? TOTP_DEFAULTS.digits;
  const algorithm = readAlgorithm(fields);
  const deviceName = fields.id('deviceName', MAX_CHARACTERS.identity)?.trim();
  if (period < 1) fields.addError('period should be > 0');
  if (period > MAX_PERIOD_SECONDS) fields.addError(`period should be <= ${MAX_PERIOD_SECONDS}`);
  if (skew < 0) fields.addError('skew should be >= 0');
  if (skew > MAX_SKEW) fields.addError(`skew should be <= ${MAX_SKEW}`);
  if (digits < DIGITS.min || digits > DIGITS.max)
    fields.addError(`digits should be from ${DIGITS.min} to ${DIGITS.max}`);
  if (secretKey === undefined || algorithm === undefined) return [];
  return [{ ...(deviceName ? { deviceName } : {}), secretKey, period, skew, digits, algorithm }];
}

function readSecretKey(fields: FieldReader): string | undefined {
  const text = fields.require('secretKey') ? fields.id('secretKey', MAX_CHARACTERS.identity) : undefined;
  if (text === undefined) return undefined;
  const secretKey = text.replace(/[\s-]|=+$/g, '').toUpperCase();
  if (BASE32.test(secretKey)) return secretKey;
  fields.addError('secretKey should be base32');
  return undefined;
}

function readAlgorithm(fields: FieldReader): TotpDevice['algorithm'] | undefined {
  if (fields.members.algorithm === undefined) return TOTP_DEFAULTS.algorithm;
  const text = fields.id('algorithm', MAX_CHARACTERS.identity)?.toUpperCase();
  if (text === undefined) return undefined;
  const algorithm = TOTP_ALGORITHMS.find((name) => name === text);
  if (algorithm === undefined) fields.addError(`algorithm should be one of ${TOTP_ALGORITHMS.join(', ')}`);
  return algorithm;
}

function readRole(fields: FieldReader): UserRole[] {
  const role = fields.require('role') ? fields.id('role', MAX_CHARACTERS.identity)?.trim() : undefined;
  fields.tenants();
  if (role === '') fields.addError('role should be of type string');
  return role ? [{ role }] : [];
}
