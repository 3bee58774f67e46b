import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { debianArchitecture, debianVersion } from './debian-names.ts'

type DebianOptions = {
  root: string
  /** The program's folder, as `stageProgram` puts it together. */
  program: string
  /** A folder to work in that does not exist. */
  folder: string
  file: string
  version: string
  arch: string
  epochSeconds: number
  /** How `dpkg-deb` compresses: `xz`, or `none` for tests. */
  compression: string
}

const HOME = '/usr/lib/plumbline'

/** Builds the Debian package of a program. */
export function writeDebianPackage(options: DebianOptions): void {
  const { root, program, folder, file, version, arch, epochSeconds, compression } = options
  const deploy = join(root, 'deploy')
  const write = (path: string, content: string | Buffer, mode = 0o644): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
    chmodSync(join(folder, path), mode)
  }
  const read = (path: string): string => readFileSync(join(deploy, path), 'utf8')

  mkdirSync(join(folder, dirname(HOME)), { recursive: true })
  cpSync(program, join(folder, HOME), { recursive: true, verbatimSymlinks: true })
  write('usr/bin/plumbline', read('debian/plumbline'), 0o755)
  const unit = read('plumbline.service').replaceAll('/opt/plumbline', HOME)
  write('usr/lib/systemd/system/plumbline.service', unit)
  write('etc/plumbline/plumbline.yaml', read('plumbline.yaml'), 0o640)
  write('etc/default/plumbline', read('debian/default'))
  const complete = `${HOME}/bin/plumbline completion`
  write('usr/share/bash-completion/completions/plumbline', `source <(${complete} bash)\n`)
  write('usr/share/fish/vendor_completions.d/plumbline.fish', `${complete} fish | source\n`)
  const doc = 'usr/share/doc/plumbline'
  write(`${doc}/copyright`, readFileSync(join(program, 'LICENSES.txt')))
  write(`${doc}/changelog.gz`, gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }))
  symlinkSync(`../../../lib/plumbline/docs`, join(folder, doc, 'docs'))
  for (const script of ['postinst', 'prerm', 'postrm'])
    write(`DEBIAN/${script}`, read(`debian/${script}`), 0o755)
  write('DEBIAN/conffiles', '/etc/plumbline/plumbline.yaml\n/etc/default/plumbline\n')
  const fields = {
    VERSION: debianVersion(version),
    ARCHITECTURE: debianArchitecture(arch),
    KILOBYTES: kilobytesBelow(folder),
  }
  write('DEBIAN/control', fill(read('debian/control'), fields))
  normaliseModes(folder)
  const build = ['--build', '--root-owner-group', `-Z${compression}`, '-z3', folder, file]
  execFileSync('dpkg-deb', build, {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) },
  })
}

const fill = (text: string, fields: Readonly<Record<string, string>>): string =>
  text.replaceAll(/@([A-Z]+)@/g, (whole, name: string) => fields[name] ?? whole)

const kilobytesBelow = (folder: string): string =>
  execFileSync('du', ['-sk', '--apparent-size', folder], { encoding: 'utf8' }).split('\t')[0] ?? '0'

/** The modes of packages, whatever the umask was. */
function normaliseModes(folder: string): void {
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', join(folder, 'usr')])
  execFileSync('find', [folder, '-type', 'd', '-exec', 'chmod', '0755', '{}', '+'])
}
