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

  /**
   * Creates an empty table.
   * @param parameter pattern that all path parameters must match; otherwise the path is unknown
   */
  constructor(parameter: string) {
    this.#parameter = parameter;
    this.#isParameter = new RegExp(`^${parameter}$`);
  }

  /** Adds a route. Listener for Fastify's hook onRoute. A path parameter must be a whole segment. */
  readonly add = ({ url, method, config }: RouteOptions): void => {
    const path = canonicalPath(url);
    const routes = path.includes('/:') ? this.#parametric : this.#fixed;
    const route = routes.get(path) ?? { pattern: this.#patternOf(path), methods: new Set(), isOpen: false };
    if (config?.key === 'open') route.isOpen = true;
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(path, route);
  };

  /** Returns whether the path exists with any method. A query string is ignored. */
  has(url: string): boolean {
    const path = pathOf(url);
    if (this.#fixed.has(path)) return true;
    for (const { pattern } of this.#parametric.values()) if (pattern.test(path)) return true;
    return false;
  }

  /** Returns whether the path has a method that needs no API key. */
  isOpen(url: string): boolean {
    return this.#find(url)[0]?.isOpen ?? false;
  }

  /** Returns the HTTP methods that the path supports, sorted. */
  methods(url: string): string[] {
    return [...new Set(this.#find(url).flatMap(({ methods }) => [...methods]))].sort();
  }

  /** Returns whether path parameters, as decoded by the router, match the pattern. The router itself accepts any text. */
  takes(params: unknown): boolean {
    if (typeof params !== 'object' || params === null) return true;
    return Object.values(params).every((value) => this.#isParameter.test(value));
  }

  /**
   * Returns the routes of a path, the one without parameters first. The router tries them in this order until one has
   * the method.
   */
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
