import type { TableHead } from '../containers/table.ts';
import { bareName } from '../fields/column-names.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { objectOf, textOf } from '../fields/values.ts';

/** Columns with ids at providers: `googleId`, `google_user_id`, `github_uid`, `facebookOauthId`. */
const ID_COLUMN =
  /^(google|facebook|github|gitlab|twitter|apple|linkedin|microsoft|azure|discord|bitbucket|okta)(?:oauth2?|auth|user|account|profile)?(?:id|uid|sub|subject)$/;

export interface IdentityColumn {
  provider: string;
  /** As the operator writes the column in `--map identity.<provider>=COLUMN`. */
  column: string;
}

/** Columns that may contain ids at a provider. In JSON, an object with an id counts, too. */
export function identityColumnsOf({ container, columns, first }: TableHead): IdentityColumn[] {
  return [...columns].flatMap((column) => {
    const [, provider] = ID_COLUMN.exec(bareName(column)) ?? [];
    if (provider !== undefined) return { provider: knownThirdPartyId(provider) ?? provider, column };
    const nested = knownThirdPartyId(column);
    if (container !== 'json' || nested === undefined) return [];
    const hasId = first.some((record) => textOf(objectOf(record[column])?.id) !== undefined);
    return hasId ? { provider: nested, column: `${column}.id` } : [];
  });
}
