import { freePort } from '../_service.ts'
import { watched, type Watched } from './_watched.ts'

/** A watched folder whose service says how it is doing. */
export async function watchedWithHealth(options: Parameters<typeof watched>[0] = {}) {
  const port = await freePort()
  const place: Watched = await watched({
    ...options,
    settings: { ...options.settings, 'ops.port': port },
  })
  const getText = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  const folder = async () => JSON.parse(await getText('/health/ingest')).folders[0]
  return { place, getText, folder }
}
