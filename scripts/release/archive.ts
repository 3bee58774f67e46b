import { execFileSync } from 'node:child_process'
import { basename, dirname } from 'node:path'

type ArchiveOptions = {
  /** The folder, which becomes the top of the archive. */
  folder: string
  file: string
  epochSeconds: number
  /** Of gzip, from 1 to 9. */
  level: number
}

/** Writes a tarball whose bytes depend on names, modes and contents only. */
export function writeTarball({ folder, file, epochSeconds, level }: ArchiveOptions): void {
  execFileSync('tar', [
    '--create',
    '--format=gnu',
    '--sort=name',
    `--mtime=@${epochSeconds}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u=rwX,go=rX',
    `--use-compress-program=gzip -n -${level}`,
    `--file=${file}`,
    `--directory=${dirname(folder)}`,
    basename(folder),
  ])
}
