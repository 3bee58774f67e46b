import { existsSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** Packages of hundreds of files; others are loaded as they are. */
const BUNDLED_PACKAGES = /^(typebox|kysely)(\/|$)/

const THREAD = /new URL\(\s*'(\.\/[\w/-]+\.ts)',\s*import\.meta\.url,?\s*\)/g

/**
 * Puts the modules of the program into fewer files and returns its path: most of a start is loading
 * them one by one, and the tests start it many hundred times. Files beside the sources are found there.
 */
export async function bundleProgram(root: string): Promise<string> {
  const folder = join(root, 'node_modules/.cache/test-program')
  rmSync(folder, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: { plumbline: join(root, 'service/bin/plumbline.js') },
    platform: 'node',
    logLevel: 'silent',
    external: (id) => !/^[./]/.test(id) && !BUNDLED_PACKAGES.test(id),
    plugins: [
      {
        name: 'files-beside-sources',
        transform(code, id) {
          if (!id.startsWith(join(root, 'service')) || !code.includes('import.meta'))
            return undefined
          const threads = code.replaceAll(THREAD, (found: string, path: string) => {
            const thread = join(dirname(id), path)
            if (!existsSync(thread)) return found
            const fileName = `${relative(root, thread).replaceAll(/\W+/g, '-')}.js`
            this.emitFile({ type: 'chunk', id: thread, fileName })
            return `new URL('./${fileName}', import.meta.resolve('./'))`
          })
          return threads
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id)))
            .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        },
      },
    ],
  })
  await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  })
  await bundle.close()
  return join(folder, 'plumbline.js')
}
