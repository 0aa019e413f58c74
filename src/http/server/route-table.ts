import type { RouteOptions } from 'fastify';
import { canonicalPath } from './tenant-paths.ts';

interface Route {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  isOpen: boolean;
}

/** Paths of all routes, fixed or with parameters (`/imports/:importId`), and the methods of each. */
export class RouteTable {
  readonly #parameter: string;
  readonly #isParameter: RegExp;
  readonly #fixed = new Map<string, Route>();
  readonly #parametric = new Map<string, Route>();

  /** @param parameter pattern of all path parameters; a path with another parameter is unknown */
  constructor(parameter: string) {
    this.#parameter = parameter;
    this.#isParameter = new RegExp(`^${parameter}$`);
  }

  /** Listener for Fastify's hook onRoute. Each path parameter must be a whole segment. */
  readonly add = ({ url, method, config }: RouteOptions): void => {
    const path = canonicalPath(url);
    const routes = path.includes('/:') ? this.#parametric : this.#fixed;
    const route = routes.get(path) ?? { pattern: this.#patternOf(path), methods: new Set(), isOpen: false };
    if (config?.key === 'open') route.isOpen = true;
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(path, route);
  };

  /** Returns whether a route has this path, with any HTTP method. A query string is ignored. */
  has(url: string): boolean {
    const path = pathOf(url);
    if (this.#fixed.has(path)) return true;
    for (const { pattern } of this.#parametric.values()) if (pattern.test(path)) return true;
    return false;
  }

  /** Returns whether a route with this path needs no API key, with at least one HTTP method. */
  isOpen(url: string): boolean {
    return this.#find(url)[0]?.isOpen ?? false;
  }

  methods(url: string): string[] {
    return [...new Set(this.#find(url).flatMap(({ methods }) => [...methods]))].sort();
  }

  /** Returns whether the decoded path parameters match the pattern. Fastify's router accepts any text. */
  takes(params: unknown): boolean {
    if (typeof params !== 'object' || params === null) return true;
    return Object.values(params).every((value) => this.#isParameter.test(value));
  }

  /** The route without parameters is first. Fastify's router tries routes in the same order. */
  #find(url: string): Route[] {
    const path = pathOf(url);
    const fixed = this.#fixed.get(path);
    const parametric = [...this.#parametric.values()].filter(({ pattern }) => pattern.test(path));
    return fixed === undefined ? parametric : [fixed, ...parametric];
  }

  #patternOf(path: string): RegExp {
    const segments = path
      .split('/')
      .map((segment) =>
        segment.startsWith(':') ? this.#parameter : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
      );
    return new RegExp(`^${segments.join('/')}$`);
  }
}

const pathOf = (url: string) => canonicalPath(url.split('?', 1)[0] ?? url);
