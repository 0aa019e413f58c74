import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord } from '../containers/table.ts';
import { flagOf, listOf, objectsOf, textOf } from '../fields/values.ts';
import type { Form, ReadContext } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Bodies for SuperTokens' bulk import, `{"users":[{"loginMethods":[…]}]}`, or one user per line, as
 * `user-import convert` writes them. Lines may also be bodies for `/recipe/user/passwordhash/import` or
 * `/recipe/signinup`.
 */
export const supertokensBulk: Form = {
  name: 'supertokens-bulk',
  hasPages: true,
  isOfAnySystem: true,
  isUsers: ({ container, columns, first }) =>
    container === 'json' &&
    columns.has('loginMethods') &&
    first.some(({ loginMethods }) => Array.isArray(loginMethods)),
  read,
};

function read(record: SourceRecord, { drop }: ReadContext): SourceUser {
  const { externalUserId, userMetadata, userRoles, totpDevices, phoneNumbers } = record;
  const methods: readonly unknown[] = Array.isArray(record.loginMethods)
    ? record.loginMethods
    : flatMethod(record);
  if (isFilled(userRoles)) drop('roles', rolesIn(userRoles));
  if (isFilled(totpDevices)) drop('mfa', objectsOf(totpDevices));
  if (isFilled(phoneNumbers)) drop('phone numbers', listOf(phoneNumbers));
  // Invalid login methods are kept, so that the service reports what is wrong with them.
  const kept = methods.filter((method) => !isJsonObject(method) || hasPlace(method, drop));
  const primary = primaryOf(kept.filter(isJsonObject));
  return {
    externalUserId: textOf(externalUserId),
    email: textOf(primary?.email) ?? textOf(methods.find(isJsonObject)?.email),
    isVerified: primary?.isVerified === true,
    timeJoinedMs: joinedOf(primary),
    loginMethods: kept.map(inPublic),
    metadata: isJsonObject(userMetadata) ? userMetadata : undefined,
    state: flagOf(record.disabled) === true ? 'DISABLED' : undefined,
    hasPhone: methods.some((method) => isJsonObject(method) && textOf(method.phoneNumber) !== undefined),
  };
}

function flatMethod({
  email,
  passwordHash,
  hashingAlgorithm,
  hashingSecretId,
  thirdPartyId,
  thirdPartyUserId,
}: SourceRecord): JsonObject[] {
  if (passwordHash !== undefined)
    return [
      {
        ...{ recipeId: 'emailpassword', email, passwordHash },
        ...(hashingAlgorithm !== undefined && { hashingAlgorithm }),
        ...(hashingSecretId !== undefined && { hashingSecretId }),
      },
    ];
  if (thirdPartyId === undefined || !isJsonObject(email)) return [];
  const { id, isVerified = false } = email;
  return [{ recipeId: 'thirdparty', email: id, isVerified, thirdPartyId, thirdPartyUserId }];
}

/** Roles in the public tenant. */
const rolesIn = (roles: unknown): unknown[] =>
  objectsOf(roles).flatMap(({ role, tenantIds }) =>
    !isFilled(tenantIds) || listOf(tenantIds).includes('public') ? [role] : [],
  );

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0;

/** Login methods that are passwordless or of another tenant cannot be imported. */
function hasPlace({ recipeId, phoneNumber, tenantIds }: JsonObject, drop: ReadContext['drop']): boolean {
  if (recipeId === 'passwordless') {
    if (textOf(phoneNumber) !== undefined) drop('phone numbers', [phoneNumber]);
    return false;
  }
  if (!isFilled(tenantIds) || (tenantIds as unknown[]).includes('public')) return true;
  drop('other tenants');
  return false;
}

function inPublic(method: unknown): unknown {
  if (!isJsonObject(method) || method.tenantIds === undefined) return method;
  const { tenantIds, ...rest } = method;
  return rest;
}

/** Chooses the primary login method as the service does: the marked one, or else the oldest. */
function primaryOf(methods: readonly JsonObject[]): JsonObject | undefined {
  const marked = methods.find(({ isPrimary }) => isPrimary === true);
  const age = (method: JsonObject) => joinedOf(method) ?? Number.MAX_SAFE_INTEGER;
  return marked ?? methods.toSorted((a, b) => age(a) - age(b))[0];
}

function joinedOf(method: JsonObject | undefined): number | undefined {
  const joined = method?.timeJoinedInMSSinceEpoch;
  return typeof joined === 'number' ? joined : undefined;
}
