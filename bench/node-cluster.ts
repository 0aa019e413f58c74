import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createNodeDatabase } from '../test/support/create-node-database.ts';
import { dropDatabase } from '../test/support/nodes.ts';
import { rowsOf } from '../test/support/rows-of.ts';
import { killPostmaster } from './kill-postmaster.ts';

/** The nodes of a Citus on this machine. Each can be killed and started again. */
export class NodeCluster {
  readonly #bin: string;
  readonly #directories: readonly string[];
  /** URIs, the coordinator's first. */
  readonly nodes: readonly string[];

  private constructor(bin: string, directories: readonly string[], nodes: readonly string[]) {
    this.#bin = bin;
    this.#directories = directories;
    this.nodes = nodes;
  }

  /** @param directories data directories, the coordinator's first */
  static async open(
    uri: string,
    { bin, directories }: { bin: string; directories: readonly string[] },
  ): Promise<NodeCluster> {
    const nodes: string[] = [];
    for (const directory of directories) {
      // The fourth line of the file is the port.
      const port = (await readFile(join(directory, 'postmaster.pid'), 'utf8')).split('\n')[3] ?? '';
      const url = new URL(uri);
      url.port = port;
      nodes.push(url.href);
    }
    if (nodes[0] !== new URL(uri).href)
      throw new Error(`the first of the directories is of ${nodes[0]}, not of the coordinator`);
    return new NodeCluster(bin, directories, nodes);
  }

  get coordinator(): string {
    return this.nodes[0] ?? '';
  }

  /** @param node number of the node; 0 is the coordinator */
  async kill(node: number): Promise<void> {
    await killPostmaster(this.#directories[node] ?? '');
  }

  /** Resolves when the node accepts connections. */
  async start(node: number): Promise<void> {
    const directory = this.#directories[node] ?? '';
    const { uid, gid } = await stat(directory);
    const args = ['-D', directory, '-l', join(directory, 'killed.log'), '-w', '-t', '60', 'start'];
    // Its output is not a pipe, because Postgres would keep the pipe open. HOME is where Postgres looks for
    // certificates.
    const options = {
      uid,
      gid,
      cwd: '/',
      env: { ...process.env, HOME: directory },
      stdio: 'ignore',
    } as const;
    const child = spawn(join(this.#bin, 'pg_ctl'), args, options);
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`pg_ctl ended with ${code}: see ${directory}/killed.log`);
  }

  /** Creates an empty database with our tables, distributed. Returns its URI. */
  async createDatabase(name: string): Promise<string> {
    await dropDatabase(this.nodes, name);
    return createNodeDatabase(this.nodes, name);
  }

  dropDatabase(name: string): Promise<void> {
    return dropDatabase(this.nodes, name);
  }

  /**
   * Counts transactions of this database, on all nodes, that were prepared over a second ago and are neither
   * committed nor rolled back.
   */
  async prepared(name: string): Promise<number> {
    let sum = 0;
    for (const uri of this.nodes) {
      const [row] = await rowsOf<{ count: number }>(
        uri,
        `select count(*)::int as count from pg_prepared_xacts
         where database = '${name}' and prepared < clock_timestamp() - interval '1 s'`,
      );
      sum += row?.count ?? 0;
    }
    return sum;
  }
}
