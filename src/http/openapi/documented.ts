import type { TSchema } from '@sinclair/typebox';

/**
 * Schema keyword for documentation. Some fields are checked by this service's code, for a better error
 * message, so their schema accepts any text. The OpenAPI description shows the keyword's value instead.
 */
export const DOCUMENTED_AS = 'documentedAs';

/** Replaces schemas by their `documentedAs`, at any depth. */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
