import { Type } from '@sinclair/typebox';

/** A user with all its login methods. What is wrong with it is told by `readUserForm`, in words that clients know. */
const DESCRIPTION =
  '`{"externalUserId"?, "userMetadata"?, "loginMethods": […]}`. A login method: `{"recipeId": "emailpassword", "email", "passwordHash", "hashingAlgorithm"}`, or with `plainTextPassword` instead of the last two, or `{"recipeId": "thirdparty", "email", "thirdPartyId", "thirdPartyUserId"}`; each may have `isVerified`, `isPrimary`, `timeJoinedInMSSinceEpoch`, `externalUserId` and `tenantIds` (`["public"]`).';

export const UserFormField = Type.Unknown({ description: DESCRIPTION });

export const UserFormBody = Type.Object({}, { description: DESCRIPTION });
