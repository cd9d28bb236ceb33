/**
 * TLS before the app: after the handshake, the decrypted connection goes to the app and counts there like any other. Until then
 * its number and time are bounded here.
 */
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { Counts } from '../runtime/counts.ts';
import { LIMITS } from '../runtime/limits.ts';
import type { Logger } from '../runtime/logger.ts';
import type { CurrentCertificate } from './current-certificate.ts';
import { answerPlainRequest } from './unreadable-requests.ts';

/** The first byte of a TLS connection: a record of the handshake. */
const HANDSHAKE_RECORD = 0x16;
/** With it begins a method of HTTP. */
const LETTER = /^[A-Z]/;

export interface TlsFrontOptions {
  readonly certificate: CurrentCertificate;
  readonly needsClientCertificate: boolean;
  readonly logger: Logger;
}

export class TlsFront {
  readonly #app: FastifyInstance;
  readonly #certificate: CurrentCertificate;
  readonly #logger: Logger;
  readonly #tls: Server;
  /** Connections before their handshake, by both addresses. */
  readonly #pending = new Map<string, Pending>();
  readonly #ofAddress = new Counts();

  constructor(
    app: FastifyInstance,
    { certificate, needsClientCertificate, logger }: TlsFrontOptions,
  ) {
    this.#app = app;
    this.#certificate = certificate;
    this.#logger = logger;
    this.#tls = createServer({
      ...certificate.options,
      ALPNProtocols: ['http/1.1'],
      handshakeTimeout: LIMITS.handshakeSeconds * 1000,
      requestCert: needsClientCertificate,
      rejectUnauthorized: needsClientCertificate,
    });
    this.#tls.on('secureConnection', (socket) => this.#secured(socket));
    this.#tls.on('tlsClientError', (error, socket) => {
      logger.debug({ err: error, address: socket.remoteAddress }, 'A TLS handshake failed.');
      socket.destroy();
    });
  }

  /** A listener for TLS connections. */
  createListener(): TcpServer {
    return createTcpServer({ noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Ends connections without a finished handshake. */
  close(): void {
    for (const { socket } of this.#pending.values()) socket.destroy();
  }

  #accept(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const { remoteAddress = '' } = socket;
    const ofAddress = this.#ofAddress.of(remoteAddress);
    if (this.#pending.size >= LIMITS.handshakes || ofAddress >= LIMITS.handshakesOfAddress) {
      socket.destroy();
      return;
    }
    this.#await(socket);
    socket.once('data', (begin) => {
      if (begin[0] === HANDSHAKE_RECORD) this.#beginHandshake(socket, begin);
      else this.#refusePlain(socket, begin);
    });
  }

  #await(socket: Socket): void {
    const key = keyOf(socket);
    const { remoteAddress = '' } = socket;
    this.#ofAddress.add(remoteAddress, 1);
    const timer = setTimeout(() => socket.destroy(), LIMITS.handshakeSeconds * 1000);
    const end = () => {
      if (!this.#pending.delete(key)) return;
      clearTimeout(timer);
      this.#ofAddress.add(remoteAddress, -1);
    };
    this.#pending.set(key, { socket, end });
    socket.once('close', end);
  }

  #beginHandshake(socket: Socket, begin: Buffer): void {
    const renewed = this.#certificate.renewed();
    if (renewed !== null) this.#tls.setSecureContext(renewed);
    socket.pause();
    socket.unshift(begin);
    this.#tls.emit('connection', socket);
  }

  #secured(socket: TLSSocket): void {
    this.#pending.get(keyOf(socket))?.end();
    this.#app.server.emit('connection', socket);
  }

  #refusePlain(socket: Socket, begin: Buffer): void {
    this.#logger.debug({ address: socket.remoteAddress }, 'A connection does not speak TLS.');
    if (LETTER.test(begin.toString('latin1', 0, 1))) answerPlainRequest(socket);
    else socket.destroy();
  }
}

interface Pending {
  readonly socket: Socket;
  /** The connection no longer counts. */
  readonly end: () => void;
}

const keyOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  [remoteAddress, remotePort, localAddress, localPort].join();
