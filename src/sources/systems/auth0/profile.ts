import type { JsonObject } from '../../../imports/input/json-object.ts';
import type { SourceRecord } from '../../containers/table.ts';
import { metadataOf, objectOf } from '../../fields/values.ts';

/** What the user object of Auth0 says of a user beside how to sign in: exports and the import schema have it alike. */
export const profileOf = (record: SourceRecord): JsonObject | undefined =>
  metadataOf({
    user_metadata: objectOf(record.user_metadata),
    app_metadata: objectOf(record.app_metadata),
    username: record.username,
    name: record.name,
    given_name: record.given_name,
    family_name: record.family_name,
    nickname: record.nickname,
    picture: record.picture,
  });
