import { RefusedError } from '../errors/refused-error.ts'
import type { CurrentCatalogue } from '../storage/current-catalogue.ts'
import type { Cameras } from './cameras.ts'

const DAY = 86_400_000

/** A page that plays a camera for a day, and why it does not play now. */
export type PlayerPage = { address: string; problem: string | undefined }

/** The page of a camera for a user; throws `absent` without the camera. */
export async function playerPage(
  { grants, ffmpeg }: Pick<Cameras, 'grants' | 'ffmpeg'>,
  { catalogue, camera: id, user }: { catalogue: CurrentCatalogue; camera: number; user: number },
  { origin, now }: { origin: string; now: number },
): Promise<PlayerPage> {
  const camera = (await catalogue()).cameras.find((one) => one.id === id)
  if (camera === undefined) throw new RefusedError('absent', `There is no camera ${id}.`)
  const expiresAt = now + DAY
  const grant = await grants.make(camera, { quality: 'h', holder: { user }, expiresAt })
  return { address: `${origin}/streams/${grant}/`, problem: await ffmpeg.findProblem() }
}
