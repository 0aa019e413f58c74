import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy with its own port. The target port may change. */
export class TcpProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  target: number;

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer({ noDelay: true }, (inner) => {
      const outer = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
      this.#join(inner, outer);
      this.#join(outer, inner);
    });
  }

  /** Listens on `port`, or on a free port. */
  static async listen(target: number, port = 0): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(port, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}

export const portOf = (uri: string): number => Number(new URL(uri).port);

/** Returns a port where nothing listens. */
export async function closedPort(): Promise<number> {
  const proxy = await TcpProxy.listen(0);
  const { port } = proxy;
  await proxy.close();
  return port;
}
