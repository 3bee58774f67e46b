type Listener = { onplaying(): void; onfailed(sentence: string, mayRetry: boolean): void }

const APPLE = 'application/vnd.apple.mpegurl'

/** Plays a playlist in a video element; returns the end of it. */
export async function playHls(
  video: HTMLVideoElement,
  url: string,
  { onplaying, onfailed }: Listener,
): Promise<() => void> {
  const { default: Hls } = await import('hls.js/light')
  video.addEventListener('playing', onplaying)
  const stopListening = (): void => video.removeEventListener('playing', onplaying)
  if (!Hls.isSupported()) {
    const failed = (): void => onfailed('', video.canPlayType(APPLE) !== '')
    video.addEventListener('error', failed)
    video.src = url
    return () => {
      stopListening()
      video.removeEventListener('error', failed)
      video.removeAttribute('src')
      video.load()
    }
  }
  const hls = new Hls({ enableWorker: false, liveSyncDurationCount: 2 })
  hls.on(Hls.Events.ERROR, (_event, { fatal, type, networkDetails }) => {
    if (!fatal) return
    if (type === Hls.ErrorTypes.MEDIA_ERROR) return hls.recoverMediaError()
    onfailed(sentenceOf(networkDetails), true)
  })
  hls.loadSource(url)
  hls.attachMedia(video)
  return () => {
    stopListening()
    hls.destroy()
  }
}

/** What the service says in its error response. */
function sentenceOf(request: unknown): string {
  try {
    const { message } = JSON.parse((request as XMLHttpRequest).responseText)
    return typeof message === 'string' ? message : ''
  } catch {
    return ''
  }
}
