import type { RouteOptions } from 'fastify';
import { canonicalPath } from './tenant-path.ts';

/** The fixed paths that are routed, and the methods each answers. */
export class RouteTable {
  readonly #methods = new Map<string, Set<string>>();
  readonly #open = new Set<string>();

  /** For Fastify's onRoute hook. */
  add({ url, method, config }: RouteOptions): void {
    const path = canonicalPath(url);
    if (config?.open) this.#open.add(path);
    const methods = this.#methods.get(path) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    this.#methods.set(path, methods);
  }

  /** Is this path routed, whatever the method? A query string is ignored. */
  has(url: string): boolean {
    return this.#methods.has(pathOf(url));
  }

  /** Does this path answer without a key? */
  isOpen(url: string): boolean {
    return this.#open.has(pathOf(url));
  }

  /** The methods this path answers, sorted. */
  methods(url: string): string[] {
    return [...(this.#methods.get(pathOf(url)) ?? [])].sort();
  }
}

const pathOf = (url: string) => canonicalPath(url.split('?', 1)[0] ?? url);
