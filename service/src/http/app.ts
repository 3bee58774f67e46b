import type { FastifyInstance } from 'fastify'
import type { AppOptions } from './app-options.ts'
import { openCore } from './app-core.ts'
import { installConsole } from './console/console.ts'
import { installReference } from './reference/reference.ts'
import { registerRoutes } from './register-routes.ts'
import { secureContext } from './security/certificate.ts'
import { limitConnections } from './security/connection-limits.ts'

/** Builds the HTTPS application: the interface, ingest, management, the reference page and the console. */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { access, commits, limits, sharing } = options
  const core = openCore({
    ...options,
    tls: secureContext(options.certificate),
    horizon: () => commits.horizon(),
  })
  const { app } = core
  const connections = { ...limits.connections, proxies: options.trustedProxies }
  const refuse = (from: string, reason: string): void =>
    access.security.record('security.connection-refused', { from, reason })
  limitConnections(app.server, connections, refuse, sharing?.give)
  if (sharing !== undefined) app.addHook('preClose', () => sharing.close(app.server))
  await installReference(app, options.publicUrl)
  installConsole(app, { tiles: options.tiles })
  await registerRoutes(app, { ...options, ...core })
  return app
}
