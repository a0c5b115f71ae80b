<?php
// dompdf in one process that stays: the length of a page in bytes and a line's end, the page; the same for its PDF.
// The argument is a folder for what it makes of fonts: Noto Sans, as our documents have it, and no other script.
require '/usr/share/php/dompdf/autoload.php';

const FONTS = '/usr/share/fonts/truetype/noto/';

$folder = $argv[1];
// Debian moved these away from where dompdf looks for them
copy('/usr/share/php/dompdf/lib/fonts/installed-fonts.dist.json', "$folder/installed-fonts.json");
foreach (glob('/usr/share/php/dompdf/lib/fonts/*.afm*') as $file) {
    copy($file, $folder . '/' . basename($file));
}
$options = new Dompdf\Options(['fontDir' => $folder, 'fontCache' => $folder, 'chroot' => [$folder, FONTS]]);
foreach (['normal' => 'Regular', 'bold' => 'Bold'] as $weight => $name) {
    (new Dompdf\Dompdf($options))->getFontMetrics()->registerFont(
        ['family' => 'Noto Sans', 'style' => 'normal', 'weight' => $weight],
        'file://' . FONTS . "NotoSans-$name.ttf"
    );
}
$options->setDefaultFont('Noto Sans');
while (($length = fgets(STDIN)) !== false) {
    $page = stream_get_contents(STDIN, (int) $length);
    $dompdf = new Dompdf\Dompdf($options);
    $dompdf->setPaper('A4');
    $dompdf->loadHtml($page, 'UTF-8');
    $dompdf->render();
    $pdf = $dompdf->output();
    fwrite(STDOUT, strlen($pdf) . "\n" . $pdf);
    fflush(STDOUT);
}
