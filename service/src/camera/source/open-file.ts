import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { SourceError, type OpenedSource } from './opened-source.ts'
import type { FileSource } from './parse-source.ts'

/** Files in these formats are played; the names are those of ffmpeg. */
const FORMATS = 'mov,matroska,mpegts,flv,avi'

const INPUT: readonly string[] =
  `-re -stream_loop -1 -protocol_whitelist file -format_whitelist ${FORMATS} -i`.split(' ')

/** Opens a file of the folder, which is played at its own pace, again and again. */
export async function openFile({ name }: FileSource, folder: string): Promise<OpenedSource> {
  return {
    input: [...INPUT, `file:${await pathOf(name, folder)}`],
    stdin: undefined,
    failure: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** The path of a file; throws a SourceError if there is none, or a link leads out of the folder. */
async function pathOf(name: string, folder: string): Promise<string> {
  const [path, root] = await Promise.all([realpath(join(folder, name)), realpath(folder)]).catch(
    (error: unknown) => {
      throw new SourceError('The folder cameras of the data folder has no file of this name.', {
        cause: error,
      })
    },
  )
  const inside = relative(root, path)
  if (isAbsolute(inside) || inside.startsWith('..'))
    throw new SourceError('The file of the camera is a link that leads out of its folder.')
  const found = await stat(path)
  if (!found.isFile()) throw new SourceError('The file of the camera is not a regular file.')
  return path
}
