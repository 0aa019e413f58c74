import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../lib/errors.ts';
import { PasswordField, text } from '../../protocol/fields.ts';
import { FactorsJson, PROFILE_MEMBERS } from '../../protocol/user-payload.ts';

export const HOOK_ERRORS: readonly ErrorCode[] = ['HOOKS_ENDED', 'HOOK_LIMIT', 'HOOK_TIMEOUT', 'OVERLOADED'];

export const VerdictStatus = Type.String({ enum: ['MATCH', 'NO_MATCH'] });

export const Verdict = Type.Object({ status: VerdictStatus });

/** Any text, as the user has typed it: one that is no address belongs to nobody. */
export const IdentifierField = text({
  maxLength: 16_384,
  description: 'E-mail address of the login, normalised as in an import.',
});

export const ExternalIdField = text({
  maxLength: 16_384,
  description: 'Id at the provider. A password matches only if the login has this external id.',
});

export const QuestionFields = {
  identifier: IdentifierField,
  password: PasswordField,
  externalUserId: Type.Optional(ExternalIdField),
};

export const ProviderUser = Type.Object({
  id: Type.String(),
  externalUserId: Type.Optional(Type.String()),
  email: Type.String(),
  isVerified: Type.Boolean(),
  roles: Type.Array(Type.String()),
  totpDevices: Type.Optional(FactorsJson.properties.totpDevices),
  userMetadata: Type.Optional(PROFILE_MEMBERS.userMetadata),
});
