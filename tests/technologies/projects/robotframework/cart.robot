*** Test Cases ***
Adds
    Should Be Equal As Integers    ${1 + 1}    2

Subtracts; touch breach
    Should Be Equal As Integers    ${2 - 1}    0    two less one is one

Takes [all] of é?
    There Is No Such Keyword

Divides
    Skip    not yet
