import type { FastifyRequest } from 'fastify'

/**
 * The address of the service for links: `http.publicUrl` where it is set, otherwise the host and port
 * that the client has asked.
 */
export const originOf = ({ host }: Pick<FastifyRequest, 'host'>, publicUrl: string): string =>
  publicUrl === '' ? `https://${host}` : publicUrl.replace(/\/+$/, '')
