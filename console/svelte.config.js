export default {
  compilerOptions: {
    runes: true,
    // Styles of components are files: the policy of the page allows no inline ones.
    css: 'external',
  },
}
