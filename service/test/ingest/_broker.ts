import { BY_HAND } from '../_sealed.ts'
import { freePort, withService, type TestService } from '../_service.ts'
import { SENSORS, SITE } from './_site.ts'

/** The topic of a sensor of the site. */
export const TOPIC = `site/${SENSORS.single}/up`

export const IN_THE_CLEAR = { 'ingest.broker.tls': 'off' }

/** A service with the embedded broker, and a key to log in with. */
export async function withBroker(
  settings: object = {},
): Promise<{ service: TestService; port: number; password: string }> {
  const port = await freePort()
  const service = await withService({
    site: SITE,
    settings: {
      ...BY_HAND,
      'ingest.broker.port': port,
      'ingest.broker.host': '127.0.0.1',
      'ingest.broker.topics': [{ topic: 'site/{sensor}/up', preset: 'tsValues' }],
      ...settings,
    },
  })
  return { service, port, password: await service.createKey() }
}
