/** hls.js without what cameras never have: subtitles, other sound, protected content. */
declare module 'hls.js/light' {
  export { default } from 'hls.js'
}
