import type { JsonObject } from '../../../lib/json/json-object.ts';
import type { SourceRecord } from '../../containers/table.ts';
import { metadataOf, objectOf } from '../../fields/values.ts';

/** Auth0's exports and its import schema have the same form of metadata. */
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
