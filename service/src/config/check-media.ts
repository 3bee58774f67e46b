import type { ConsistencyCheck } from './consistency-check.ts'

const TEMPLATES = ['media.hls', 'media.flv', 'media.rtmp'] as const

/** An address at a media server is checked by the server: it has a grant, or a signature with a key. */
export const MEDIA_CHECK: ConsistencyCheck = {
  reads: ['media.signing', 'media.signingKeyFile', ...TEMPLATES],
  check(config, report) {
    const { 'media.signing': scheme, 'media.signingKeyFile': file } = config
    if (scheme !== 'grant' && file === '')
      report('media.signing', [], `media.signing ${scheme} needs media.signingKeyFile`)
    if (scheme !== 'grant') return
    if (file !== '')
      report('media.signingKeyFile', [], 'media.signing grant needs no media.signingKeyFile')
    for (const name of TEMPLATES)
      if (config[name] !== '' && !config[name].includes('{grant}'))
        report(
          name,
          [],
          `${name} must contain {grant}, unless media.signing names a scheme with a key`,
        )
  },
}
