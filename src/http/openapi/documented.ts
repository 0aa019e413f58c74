import type { TSchema } from '@sinclair/typebox';

/**
 * Schema keyword for documentation. Some fields are checked by this service's code, for a better error
 * message, so their schema accepts any text. The keyword's value is the schema of what is really accepted,
 * which the OpenAPI description shows.
 */
export const DOCUMENTED_AS = 'documentedAs';

/**
 * Returns a schema for the OpenAPI description: in every field, at any depth, `documentedAs` replaces the
 * schema that checks requests.
 */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
