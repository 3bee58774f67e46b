import type { CameraEntry } from '../../../domain/site/site-entry.ts'
import { formatPathName, parsePathName } from '../path-name.ts'

/** A path of MediaMTX: the name of a stream, and where MediaMTX reads it from when somebody plays it. */
export type MediaMtxPath = Readonly<{ name: string; source: string; sourceOnDemand: boolean }>

export type PathChange =
  | Readonly<{ kind: 'add' | 'patch'; name: string; source: string }>
  | Readonly<{ kind: 'delete'; name: string }>

export type WantedPaths = {
  /** The sources of paths, by their names. */
  sources: ReadonlyMap<string, string>
  /** Cameras whose source MediaMTX cannot read. */
  unreadable: readonly number[]
}

/** The paths that play cameras. MediaMTX does not transcode: a `height` has no effect there. */
export function wantedPaths(
  cameras: readonly Pick<CameraEntry, 'id' | 'source' | 'standard'>[],
): WantedPaths {
  const sources = new Map<string, string>()
  const unreadable = new Set<number>()
  for (const { id, source, standard } of cameras)
    for (const [quality, address] of [
      ['h', source],
      ['d', standard?.source ?? source],
    ] as const)
      if (isReadable(address)) sources.set(formatPathName({ camera: id, quality }), address)
      else unreadable.add(id)
  return { sources, unreadable: [...unreadable] }
}

/** What turns the paths of MediaMTX into the wanted ones. Paths with other names are left alone. */
export function pathChanges(
  wanted: ReadonlyMap<string, string>,
  listed: readonly MediaMtxPath[],
): PathChange[] {
  const known = new Map(listed.map((path) => [path.name, path]))
  const changes: PathChange[] = []
  for (const { name } of listed)
    if (parsePathName(name) !== undefined && !wanted.has(name))
      changes.push({ kind: 'delete', name })
  for (const [name, source] of wanted) {
    const path = known.get(name)
    if (path === undefined) changes.push({ kind: 'add', name, source })
    else if (path.source !== source || !path.sourceOnDemand)
      changes.push({ kind: 'patch', name, source })
  }
  return changes
}

/** Whether MediaMTX reads an address: RTSP and RTMP, and of HTTP only HLS. */
const isReadable = (source: string): boolean =>
  /^(rtsps?|rtmps?):\/\//i.test(source) || /^https?:\/\/[^?#]+\.m3u8([?#]|$)/i.test(source)
