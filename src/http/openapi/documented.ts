import type { TSchema } from '@sinclair/typebox';

/**
 * Schema keyword for documentation. Ajv accepts any text for a field that this service checks itself to give a better
 * message. The keyword's value describes what is really accepted, and the interface description shows it.
 */
export const DOCUMENTED_AS = 'documentedAs';

/**
 * Returns a schema for the interface description: in every field, at any depth, `documentedAs` replaces the schema
 * that checks requests.
 */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
