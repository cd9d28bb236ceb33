*** Settings ***
Library           OperatingSystem

*** Test Cases ***
Adds
    Should Be Equal As Integers    ${1 + 1}    2

Subtracts; touch breach
    Create Binary File    ${OUTPUT DIR}/shots/a b.png    a picture
    Log    <a href="shots/a%20b.png"><img src="shots/a%20b.png"></a>    html=True
    Should Be Equal As Integers    ${2 - 1}    0    two less one is one

Takes [all] of é?
    There Is No Such Keyword

Divides
    Skip    not yet
